package queryexecutor

// citusRequest is a request whose answer is the same on Citus as on PostgreSQL.
type citusRequest struct {
	name, text, variables string
	// tenant is that of the role with the name; empty for admin.
	tenant string
	// role is any other.
	role  string
	relay bool
	// refused are layouts in which Citus can't answer, with a part of its reason.
	refused map[string]string
	// unordered requests don't say in which order rows come, often ones are run again and again.
	unordered, often, fails bool
}

// citusRequests run one after the other: some change the rows of others.
var citusRequests = []citusRequest{
	{name: "list", text: `{ customer(order_by: [{tenant_id: asc}, {id: asc}]) { tenant_id id email score tags info } }`},
	{name: "by key", often: true, text: `query ($t: bigint!) { customer_by_pk(tenant_id: $t, id: 101) { email } }`, variables: `{"t": 1}`},
	{name: "by key with a row", often: true, text: `query ($t: bigint!) { customer_by_pk(tenant_id: $t, id: 101) { email tenant { name } } }`, variables: `{"t": 1}`},
	{name: "by key with a reference row", often: true, text: `query ($t: bigint!) { customer_by_pk(tenant_id: $t, id: 101) { email country { name } } }`, variables: `{"t": 1}`},
	{name: "by key with rows", often: true, text: `query ($t: bigint!) { customer_by_pk(tenant_id: $t, id: 101) { email invoices(order_by: {id: asc}) { id total } } }`, variables: `{"t": 1}`},
	{name: "tenant with all below", often: true, text: `query ($t: bigint!) { tenant_by_pk(id: $t) { name customers(order_by: {id: asc}) { id invoices(order_by: {id: asc}, limit: 2) { id lines(order_by: {line_no: asc}) { line_no product { name } } } } } }`, variables: `{"t": 2}`},
	{name: "rows of a tenant", often: true, text: `query ($t: bigint!) { customer(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}) { email country { name } tenant { name } } }`, variables: `{"t": 1}`},
	{name: "rows of a role", often: true, tenant: "2", text: `{ customer(order_by: {id: asc}) { email tenant { name } invoices_aggregate { aggregate { count sum { total } } } } }`},
	{name: "where of a row", often: true, text: `query ($t: bigint!) { invoice(where: {tenant_id: {_eq: $t}, customer: {score: {_gt: 2}}}, order_by: {id: asc}) { id } }`, variables: `{"t": 1}`},
	{name: "where of rows", text: `{ customer(where: {invoices: {total: {_gt: "8"}}}, order_by: [{tenant_id: asc}, {id: asc}]) { tenant_id id } }`},
	{name: "nested aggregate", often: true, text: `query ($t: bigint!) { customer(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}) { id invoices_aggregate { aggregate { count max { total } } nodes { id } } } }`, variables: `{"t": 1}`, unordered: true},
	{name: "nested aggregates of all", text: `{ tenant(order_by: {id: asc}) { id customers_aggregate { aggregate { count sum { score } } } } }`},
	{name: "limit with rows", text: `{ customer(order_by: [{score: desc}, {tenant_id: asc}, {id: asc}], limit: 3) { id score tenant { name } invoices(order_by: {id: asc}) { id } } }`},
	{name: "distinct with rows", text: `{ customer(distinct_on: tenant_id, order_by: [{tenant_id: asc}, {score: desc}]) { tenant_id score tenant { name } } }`},
	{name: "order by row", text: `{ invoice(order_by: [{customer: {score: desc}}, {tenant_id: asc}, {id: asc}], limit: 5) { tenant_id id } }`},
	{name: "order by count", text: `{ customer(order_by: [{invoices_aggregate: {count: desc}}, {tenant_id: asc}, {id: asc}], limit: 5) { tenant_id id } }`},
	{name: "list of a tenant", often: true, text: `query ($t: bigint!) { customer(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}, limit: 3) { id email score } }`, variables: `{"t": 3}`},
	{name: "list of a tenant with a row", often: true, text: `{ invoice(where: {tenant_id: {_eq: 2}}, order_by: {id: asc}) { id customer { email } } }`},
	{name: "list of a tenant with rows", often: true, text: `query ($t: bigint!) { customer(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}) { id invoices(order_by: {id: asc}) { id total } } }`, variables: `{"t": 3}`},
	{name: "aggregate of a tenant", often: true, text: `query ($t: bigint!) { invoice_aggregate(where: {tenant_id: {_eq: $t}}) { aggregate { count sum { total } max { id } } } }`, variables: `{"t": 1}`},
	{name: "aggregate of a role", often: true, tenant: "3", text: `{ invoice_aggregate(where: {customer: {score: {_gt: 3}}}) { aggregate { count avg { total } } } }`},
	{name: "by key of a role with all", often: true, tenant: "1", text: `query ($i: bigint!) { customer_by_pk(tenant_id: 1, id: $i) { email country { name } tenant { name } invoices(order_by: {id: asc}) { id lines(order_by: {line_no: asc}) { product { name } } } } }`, variables: `{"i": 102}`},
	{name: "rows of a role with a reference row", often: true, tenant: "2", text: `{ invoice_line(order_by: [{invoice_id: asc}, {line_no: asc}]) { line_no product { name price } invoice { total } } }`},
	{name: "where of rows of a role", often: true, tenant: "1", text: `query ($n: numeric!) { customer(where: {invoices: {total: {_gt: $n}}}, order_by: {id: asc}) { id tenant { name } } }`, variables: `{"n": "5"}`},
	{name: "order by row of a tenant", often: true, text: `query ($t: bigint!) { invoice(where: {tenant_id: {_eq: $t}}, order_by: [{customer: {score: desc}}, {id: asc}], limit: 4) { id customer { score } } }`, variables: `{"t": 2}`},
	{name: "distinct of a tenant", often: true, text: `query ($t: bigint!) { customer(where: {tenant_id: {_eq: $t}}, distinct_on: country_code, order_by: [{country_code: asc}, {score: desc}]) { country_code score country { name } } }`, variables: `{"t": 1}`},
	{name: "two lists of tenants", often: true, text: `query ($t: bigint!, $u: bigint!) { a: customer(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}) { id tenant { name } } b: customer(where: {tenant_id: {_eq: $u}}, order_by: {id: desc}, offset: 1) { id invoices_aggregate { aggregate { count } } } }`, variables: `{"t": 1, "u": 2}`},

	{name: "aggregate with nodes", text: `{ customer_aggregate { aggregate { count sum { score } } nodes { tenant_id id } } }`, unordered: true},
	{name: "aggregate with nodes in order", text: `{ customer_aggregate(where: {score: {_gt: 3}}, order_by: [{tenant_id: asc}, {id: desc}]) { aggregate { count } nodes { tenant_id id } } }`},
	{name: "aggregate with nodes of a tenant", often: true, text: `query ($t: bigint!) { customer_aggregate(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}) { aggregate { count avg { score } } nodes { id invoices(order_by: {id: asc}) { id } tenant { name } } } }`, variables: `{"t": 1}`},
	{name: "aggregate with nodes of a role", often: true, tenant: "2", text: `{ customer_aggregate(order_by: {id: asc}) { aggregate { count } nodes { id } } }`},
	{name: "aggregate of a slice with nodes", text: `{ customer_aggregate(order_by: [{tenant_id: asc}, {id: asc}], limit: 4) { aggregate { count sum { score } } nodes { tenant_id id tenant { name } } } }`},
	{name: "aggregate with nodes that have rows", text: `{ tenant_aggregate(order_by: {id: asc}) { aggregate { count } nodes { id customers(order_by: {id: asc}) { id } } } }`},

	{name: "first page", relay: true, text: `{ customer_connection(first: 2, order_by: [{tenant_id: asc}, {id: asc}]) { edges { cursor node { email } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`},
	{name: "second page", relay: true, text: `{ customer_connection(first: 2, after: "eyJ0ZW5hbnRfaWQiIDogMSwgImlkIiA6IDEwMn0=", order_by: [{tenant_id: asc}, {id: asc}]) { edges { cursor node { email } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`},
	{name: "page before", relay: true, text: `{ customer_connection(last: 2, before: "eyJ0ZW5hbnRfaWQiIDogMiwgImlkIiA6IDEwMn0=", order_by: [{tenant_id: asc}, {id: asc}]) { edges { node { email invoices_connection(first: 1, order_by: {id: asc}) { edges { node { total } } } } } pageInfo { hasNextPage hasPreviousPage } } }`},

	{name: "reference rows with distributed lists", refused: map[string]string{"distributed": "correlated subqueries are not supported when the FROM clause contains a reference table"}, text: `{ product(order_by: {sku: asc}) { sku lines(order_by: [{tenant_id: asc}, {invoice_id: asc}, {line_no: asc}]) { tenant_id line_no } } }`},

	{name: "remote rows", text: `{ org(order_by: {id: asc}) { label customers(order_by: {id: asc}) { id email } } }`},
	{name: "remote rows of some", text: `{ org(order_by: {id: asc}) { label customers(order_by: [{score: desc}, {id: asc}], limit: 2, offset: 1) { id tenant { name } } } }`},
	{name: "remote rows with rows", text: `{ org(order_by: {id: asc}) { label customers(order_by: {id: asc}, where: {score: {_gt: 2}}) { id invoices(order_by: {id: asc}) { id } country { name } } } }`},
	{name: "remote aggregate", text: `{ org(order_by: {id: asc}) { label customers_aggregate { aggregate { count sum { score } max { email } } } } }`},
	{name: "remote aggregate with nodes", text: `{ org(order_by: {id: asc}) { label customers_aggregate(order_by: {id: asc}) { aggregate { count } nodes { id } } } }`},
	{name: "remote row", text: `{ org(order_by: {id: asc}) { label tenant { name } fan { email } } }`},
	{name: "remote row with rows", text: `{ org(order_by: {id: asc}) { label tenant { name customers(order_by: {id: asc}) { id invoices_aggregate { aggregate { count } } } } } }`},
	{name: "rows of a remote source", text: `{ tenant(order_by: {id: asc}) { name orgs(order_by: {id: asc}) { label } } }`},

	{name: "live row", text: `subscription { customer_by_pk(tenant_id: 1, id: 101) { id email } }`},
	{name: "live row of variables", text: `subscription ($t: bigint!) { customer_by_pk(tenant_id: $t, id: 101) { id email country { name } } }`, variables: `{"t": 1}`},
	{name: "live rows", text: `subscription { customer(order_by: [{tenant_id: asc}, {id: asc}], where: {score: {_gt: 3}}) { id tenant { name } } }`},
	{name: "live rows with rows", text: `subscription { tenant(order_by: {id: asc}) { name customers(order_by: {id: asc}) { id invoices(order_by: {id: asc}) { id } } } }`},
	{name: "live rows of a role", tenant: "2", text: `subscription ($s: Int!) { customer(order_by: {id: asc}, where: {score: {_gt: $s}}) { id } }`, variables: `{"s": 4}`},
	{name: "live aggregate", text: `subscription { customer_aggregate { aggregate { count sum { score } } } }`},
	{name: "live aggregate of a role", tenant: "2", text: `subscription { customer_aggregate { aggregate { count } nodes { id } } }`, unordered: true},
	{name: "live aggregate with nodes", text: `subscription { customer_aggregate(order_by: [{tenant_id: asc}, {id: asc}]) { aggregate { count } nodes { id } } }`},
	{name: "stream", text: `subscription { invoice_stream(batch_size: 3, cursor: {initial_value: {id: 11}, ordering: ASC}, where: {tenant_id: {_eq: 2}}) { id total } }`},
	{name: "stream of variables", text: `subscription ($n: Int!, $c: bigint) { invoice_stream(batch_size: $n, cursor: {initial_value: {id: $c}, ordering: DESC}, where: {tenant_id: {_eq: 2}}) { id customer { email } } }`, variables: `{"n": 2, "c": 41}`},
	{name: "stream of a role", tenant: "3", text: `subscription { customer_stream(batch_size: 3, cursor: {initial_value: {id: 102}}) { id tenant { name } } }`},
	{name: "live row with rows", text: `subscription ($i: bigint!) { customer_by_pk(tenant_id: 2, id: $i) { email invoices(order_by: {id: asc}, limit: 2) { id lines(order_by: {line_no: asc}) { sku } } } }`, variables: `{"i": 103}`},
	{name: "live rows of a variable with a limit", text: `subscription ($t: bigint!, $n: Int!) { customer(where: {tenant_id: {_eq: $t}}, order_by: {id: asc}, limit: $n) { id country { name } invoices(order_by: {id: asc}) { total } } }`, variables: `{"t": 2, "n": 2}`},
	{name: "live nested aggregates", text: `subscription { tenant(order_by: {id: asc}) { id customers_aggregate { aggregate { count max { score } } } } }`},
	{name: "live where of a row", text: `subscription ($s: Int!) { invoice(where: {customer: {score: {_gt: $s}}}, order_by: [{tenant_id: asc}, {id: asc}]) { tenant_id id } }`, variables: `{"s": 10}`},
	{name: "live distinct rows", text: `subscription { customer(distinct_on: tenant_id, order_by: [{tenant_id: asc}, {score: desc}, {id: asc}]) { tenant_id score } }`},
	{name: "live rows of a role with rows", tenant: "1", text: `subscription { customer(order_by: {id: asc}) { id country { name } tenant { name } invoices_aggregate { aggregate { count } } } }`},
	{name: "stream with a reference row", tenant: "4", text: `subscription { invoice_line_stream(batch_size: 4, cursor: {initial_value: {invoice_id: 21}}, where: {line_no: {_eq: 1}}) { invoice_id product { name } } }`},

	{name: "insert a row", text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 900, email: "n1", tags: ["x", "y\"z"], info: {a: [1]}}) { tenant_id id email tags info } }`},
	{name: "insert a row with a reference row", text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 901, country_code: "de"}) { id country { name } } }`},
	{name: "insert a row with rows", text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 902}) { id tenant { name customers_aggregate { aggregate { count } } } invoices { id } } }`},
	{name: "insert rows with rows", unordered: true, text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 903, email: "a"}, {tenant_id: 2, id: 903, email: null}, {tenant_id: 3, id: 903}]) { affected_rows returning { tenant_id id email tenant { name } } } }`},
	{name: "insert nested rows", unordered: true, text: `mutation { insert_customer_one(object: {tenant_id: 4, id: 904, invoices: {data: [{id: 904, total: "1.5", lines: {data: [{line_no: 1, sku: "p1"}, {line_no: 2, sku: "p2"}]}}, {id: 905}]}}) { id invoices { id total lines { line_no product { name } } } } }`},
	{name: "insert no rows", text: `mutation { insert_customer(objects: []) { affected_rows returning { id } } }`},
	{name: "insert reference rows with rows", unordered: true, text: `mutation { insert_product(objects: [{sku: "q1", name: "new", price: 7}, {sku: "q2"}]) { affected_rows returning { sku name price } } }`},
	{name: "insert into a table without a key", unordered: true, text: `mutation { insert_log(objects: [{tenant_id: 1, message: "m1"}, {tenant_id: 2, message: "m2"}]) { affected_rows returning { tenant_id message } } }`},
	{name: "insert a taken key", fails: true, text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 900}) { id } }`},
	{name: "insert a taken key of several", fails: true, text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 911}, {tenant_id: 1, id: 900}]) { returning { id tenant { name } } } }`},
	{name: "insert without parent", fails: true, text: `mutation { insert_invoice_one(object: {tenant_id: 1, id: 999, customer_id: 5}) { id } }`},
	{name: "upsert", text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 900, score: 5}, on_conflict: {constraint: customer_pkey, update_columns: [score]}) { id score email tenant { name } } }`},
	{name: "upsert rows", unordered: true, text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 900, score: 6}, {tenant_id: 2, id: 920, score: 6}], on_conflict: {constraint: customer_pkey, update_columns: [score]}) { affected_rows returning { tenant_id id score tenant { name } } } }`},
	{name: "upsert nothing", text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 900, score: 7}, on_conflict: {constraint: customer_pkey, update_columns: []}) { id tenant { name } } }`},

	{name: "insert as a role", tenant: "1", text: `mutation { insert_customer_one(object: {tenant_id: 1, id: 930}) { id score tenant { name } } }`},
	{name: "insert rows as a role", tenant: "1", unordered: true, text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 931, score: 1}, {tenant_id: 1, id: 932, score: 2}]) { affected_rows returning { id score } } }`},
	{name: "insert rows as a role with rows", tenant: "1", unordered: true, text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 933}, {tenant_id: 1, id: 934}]) { affected_rows returning { id tenant { name } invoices { id } } } }`},
	{name: "insert rows of another tenant", fails: true, tenant: "1", text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 935}, {tenant_id: 2, id: 936}]) { affected_rows } }`},
	{name: "upsert rows as a role", tenant: "1", unordered: true, text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 931, score: 10}, {tenant_id: 1, id: 937, score: 11}], on_conflict: {constraint: customer_pkey, update_columns: [score]}) { affected_rows returning { id score } } }`},
	{name: "upsert rows refused by the check of updates", fails: true, tenant: "1", text: `mutation { insert_customer(objects: [{tenant_id: 1, id: 931, score: 5000}, {tenant_id: 1, id: 938, score: 5000}], on_conflict: {constraint: customer_pkey, update_columns: [score]}) { affected_rows } }`},
	{name: "insert with a check of a row", tenant: "1", text: `mutation { insert_invoice_one(object: {tenant_id: 1, id: 940, customer_id: 101}) { id total } }`},
	{name: "insert rows with a check of a row", tenant: "1", unordered: true, text: `mutation { insert_invoice(objects: [{tenant_id: 1, id: 941, customer_id: 101}, {tenant_id: 1, id: 942, customer_id: 102}]) { affected_rows returning { id customer { email } } } }`},
	{name: "insert rows refused by a check of a row", fails: true, tenant: "1", text: `mutation { insert_invoice(objects: [{tenant_id: 1, id: 943, customer_id: 101}, {tenant_id: 1, id: 944}]) { affected_rows } }`},
	{name: "insert with a check of any row", tenant: "2", unordered: true, text: `mutation { insert_invoice_line(objects: [{tenant_id: 2, invoice_id: 11, line_no: 50, sku: "p2"}, {tenant_id: 2, invoice_id: 11, line_no: 51, sku: "p3"}]) { affected_rows returning { line_no product { name } } } }`},
	{name: "insert refused by a check of any row", fails: true, tenant: "1", text: `mutation { insert_invoice_line(objects: [{tenant_id: 1, invoice_id: 11, line_no: 50, sku: "p2"}]) { affected_rows } }`},
	{name: "upsert with a check of a row", tenant: "1", unordered: true, text: `mutation { insert_invoice(objects: [{tenant_id: 1, id: 941, customer_id: 102, total: 3}, {tenant_id: 1, id: 945, customer_id: 102}], on_conflict: {constraint: invoice_pkey, update_columns: [customer_id, total]}) { affected_rows returning { id total } } }`},
	{name: "insert rows into a reference table as a role", tenant: "1", unordered: true, text: `mutation { insert_country(objects: [{code: "es", name: "Spain"}, {code: "pt", name: "Portugal"}]) { affected_rows returning { code name } } }`},
	{name: "insert bad rows into a reference table as a role", fails: true, tenant: "1", text: `mutation { insert_country(objects: [{code: "xx", name: "fine"}, {code: "yy", name: "bad"}]) { affected_rows } }`},
	{name: "insert rows of a role without a key", tenant: "1", text: `mutation { insert_log(objects: [{tenant_id: 1, message: "r1"}, {tenant_id: 1, message: "r2"}]) { affected_rows } }`},

	{name: "update with rows", unordered: true, text: `mutation { update_customer(where: {tenant_id: {_eq: 1}, id: {_in: [101, 102]}}, _inc: {score: 1}) { affected_rows returning { id score tenant { name } invoices(order_by: {id: asc}) { id } invoices_aggregate { aggregate { count } } country { name } } } }`},
	{name: "update by key with rows", text: `mutation { update_customer_by_pk(pk_columns: {tenant_id: 1, id: 101}, _set: {email: "e"}) { email tenant { name } invoices(order_by: {id: asc}) { id } } }`},
	{name: "update the distribution column", refused: map[string]string{"distributed": "not-supported at $: modifying the partition value of rows is not allowed"}, text: `mutation { update_customer_by_pk(pk_columns: {tenant_id: 1, id: 101}, _set: {tenant_id: 1, email: "e"}) { email } }`},
	{name: "update no row", text: `mutation { update_customer_by_pk(pk_columns: {tenant_id: 1, id: 1}, _set: {email: "e"}) { email tenant { name } } }`},
	{name: "update the key", text: `mutation { update_customer_by_pk(pk_columns: {tenant_id: 1, id: 930}, _set: {id: 950}) { id tenant { name } } }`},
	{name: "update a table without a key", unordered: true, text: `mutation { update_log(where: {tenant_id: {_eq: 1}}, _set: {message: "changed"}) { affected_rows returning { message } } }`},
	{name: "update of nodes", unordered: true, text: `mutation { update_customer(where: {score: {_gt: 9}}, _inc: {score: 1}) { affected_rows returning { tenant_id id score tenant { name } } } }`},
	{name: "update many", unordered: true, text: `mutation { update_customer_many(updates: [{where: {id: {_eq: 101}}, _inc: {score: 1}}, {where: {id: {_eq: 102}}, _set: {email: "many"}}]) { affected_rows returning { tenant_id score email tenant { name } } } }`},
	{name: "update as a role with rows", tenant: "1", text: `mutation { update_invoice(where: {id: {_eq: 941}}, _set: {total: 9}) { affected_rows returning { id total customer { email } } } }`},
	{name: "update refused by a check of a row", fails: true, tenant: "1", text: `mutation { update_customer(where: {}, _set: {score: 2000}) { affected_rows } }`},
	{name: "delete with rows", unordered: true, text: `mutation { delete_customer(where: {id: {_in: [931, 932]}}) { affected_rows returning { id score tenant { name } invoices { id } } } }`},
	{name: "delete by key with rows", text: `mutation { delete_customer_by_pk(tenant_id: 1, id: 933) { id tenant { name } country { name } } }`},
	{name: "delete a table without a key", unordered: true, text: `mutation { delete_log(where: {tenant_id: {_eq: 2}}) { affected_rows returning { message } } }`},
	{name: "delete as a role", tenant: "1", text: `mutation { delete_customer(where: {id: {_eq: 934}}) { affected_rows returning { id tenant { name } } } }`},
	{name: "write nodes and then a reference table", text: `mutation { b: update_customer(where: {}, _inc: {score: 1}) { affected_rows } a: update_country(where: {code: {_eq: "de"}}, _set: {name: "DE"}) { affected_rows } }`},
	{name: "all that was written", text: `{ customer(order_by: [{tenant_id: asc}, {id: asc}]) { tenant_id id email score tags info } invoice(order_by: [{tenant_id: asc}, {id: asc}]) { tenant_id id customer_id total } invoice_line(order_by: [{tenant_id: asc}, {invoice_id: asc}, {line_no: asc}]) { line_no sku } country(order_by: {code: asc}) { code name } }`},
}
