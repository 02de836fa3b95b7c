package apierror

var entries = []Entry{
	{
		AccessDenied, "400 for roles that may not do something, 403 without a client certificate",
		"The caller is unknown, or may not use this endpoint or role.",
		"x-engine-admin-secret/x-engine-access-key required, but not found",
		"Send the admin secret, or a token that allows the role ([Authentication](authentication.md)). Only `admin` may use the metadata API and what explains, dumps and shows the configuration.",
	},
	{
		AlreadyExists, "", "Something of that name is in the metadata already.",
		`source with name "shop" already exists`,
		"Choose another name, or use the request that updates or replaces it (`replace_configuration`, `replace`).",
	},
	{
		AlreadyTracked, "", "The table, function, native query or logical model is tracked already.",
		`view/table already tracked: "albums"`,
		"Nothing has to be done. Scripts that may run twice can use `pg_track_tables` with `allow_warnings`.",
	},
	{
		AlreadyUntracked, "", "The table isn't tracked.",
		`view/table already untracked: "albums"`,
		"Nothing has to be done; look at source and schema if it should have been tracked.",
	},
	{
		BadRequest, "413 when the body is too large, 415 with another content type over `application/graphql-response+json`",
		"The request can't be read, or isn't one that this endpoint takes.",
		"the request body is larger than 33554432 bytes",
		"Correct the request. The message says what is missing or too much.",
	},
	{
		BatchLimitExceeded, "", "The batch has more requests than the role may send at once, or than anybody may.",
		"batch limit exceeded: the batch has 20 operations, the limit is 10",
		"Send several batches, or have the limit changed ([`set_api_limits`](operations.md#limits-of-the-api)).",
	},
	{
		BigQueryError, "400 for statements of `run_sql`", "BigQuery can't be reached, or refuses the credentials, the query or its cost.",
		"query execution failed",
		"Look at the configuration of the source, the rights of its service account and the quotas of the project; `internal` has what BigQuery says.",
	},
	{
		Busy, "", "The engine, or what it would have to ask, has enough to do.",
		"timed out waiting for a free connection to the database",
		"Try again after `Retry-After`. When it goes on, look for what is slow: [connections to sources](operations.md#connections-to-sources).",
	},
	{
		BytesLimitExceeded, "", "The statements of the operation would have BigQuery read more than the role may ask.",
		"bytes limit exceeded: the operation would scan 4096 bytes, the limit is 1000",
		"Ask for fewer columns or partitions, or have the limit changed ([`set_api_limits`](operations.md#limits-of-the-api)).",
	},
	{
		CoercionError, "", "A preset of a remote schema's permission doesn't fit the type of its argument.",
		`"LOUD" is not one of the valid enum values`,
		"Correct the value in the permission's schema.",
	},
	{
		ConcurrentUpdate, "", "Transactions at the same time could not be brought in an order. Nothing of this one was done.",
		"serialization failure due to concurrent update",
		"Send it again, or have the engine do so: `serialization_retries` of the source ([Databases](databases.md#isolation-and-retries)).",
	},
	{
		Conflict, "", "The metadata has changed since the version that the request names, or a state of tools since its `previous`.",
		"metadata resource version referenced (7) did not match current version",
		"Read the metadata again, make the change to that, and send it with its version.",
	},
	{
		ConstraintError, "", "`on_conflict` names a constraint that isn't one of the table, or isn't unique any more.",
		"there is no unique or exclusion constraint on target column(s)",
		"Name a primary key or unique constraint; after a change of the database past the engine, `reload_metadata`.",
	},
	{
		ConstraintViolation, "", "A constraint of the database refuses the row: unique, foreign key, NOT NULL or exclusion. Also what the metadata can't hold, such as a permission for `admin`.",
		`Uniqueness violation. duplicate key value violates unique constraint "genres_name_key"`,
		"Correct the data, or upsert ([`on_conflict`](mutations.md#upsert)).",
	},
	{
		CyclicDependency, "", "Inherited roles would inherit from themselves.",
		`found cycle(s) in roles: ["manager","deputy","manager"]`,
		"Take one of them out of the role's set.",
	},
	{
		DataException, "", "The database can't read a value, or can't compute with it: a number out of range, a date that is none, a division by zero.",
		`invalid input syntax for type date: "tomorrow?"`,
		"Correct the value. `path` leads to it where that is known.",
	},
	{
		DependencyError, "", "Other metadata needs what would be removed.",
		"cannot drop due to the following dependent objects: relationship artist in table \"albums\"",
		"Remove those first, or let `cascade` remove them.",
	},
	{
		DepthLimitExceeded, "", "Fields are nested deeper than the role may ask.",
		"depth limit exceeded: query depth is 7, the limit is 5",
		"Ask for less at a time, or have the limit changed ([`set_api_limits`](operations.md#limits-of-the-api)).",
	},
	{
		InvalidConfiguration, "", "The metadata would not fit the databases and remote schemas, or itself. Nothing was changed.",
		`Inconsistent object: in table "tracks": in permission for role "editor": "nane" does not exist`,
		"Correct what the message names; `internal` lists the objects.",
	},
	{
		InvalidHeaders, "", "There is no token where one should be, or more than one that fits.",
		"Missing 'Authorization' or 'Cookie' header in JWT authentication mode",
		"Send `Authorization: Bearer TOKEN`, or what [the setting](authentication.md#where-the-token-is) says.",
	},
	{
		InvalidJSON, "", "The body isn't JSON.",
		"Error in $: the request is not JSON",
		"Send JSON, whole and in UTF-8.",
	},
	{
		InvalidJWT, "always 400", "The token doesn't verify. The end of the message says why.",
		"Could not verify JWT: JWTExpired",
		"Get a new one; else compare it with what [is checked](authentication.md#what-is-checked): key, issuer, audience, clocks.",
	},
	{
		InvalidParams, "", "Parameters don't go together, or the authentication webhook named no role.",
		"x-engine-role not found in session variables",
		"Correct the request, or the webhook's answer.",
	},
	{
		JWTInvalidClaims, "", "The claims aren't where they should be in the token, or have a wrong type.",
		"claims key: 'https://engine.io/jwt/claims' not found",
		"Have the provider add them, or say where they are ([Tokens](authentication.md#tokens)). Session variables have to be strings.",
	},
	{
		JWTMissingRoleClaims, "", "The token doesn't say which roles the user has.",
		"JWT claim does not contain x-engine-allowed-roles",
		"Have the provider add `x-engine-allowed-roles` and `x-engine-default-role`.",
	},
	{
		MethodNotAllowed, "", "The REST endpoint has other methods.",
		"Allowed methods: GET, POST",
		"Use one of those.",
	},
	{
		MSSQLError, "", "SQL Server can't be reached, or refuses the login.",
		"connection error",
		"Look at the connection string of the source and at the server; `internal` has what it says ([SQL Server](sql-server.md)).",
	},
	{
		NodeLimitExceeded, "", "The operation has more fields with a selection set than the role may ask.",
		"node limit exceeded: query has 60 nodes, the limit is 50",
		"Ask for less at a time, or have the limit changed ([`set_api_limits`](operations.md#limits-of-the-api)).",
	},
	{
		NotExists, "", "The metadata has no such source, table, column, permission, trigger and so on.",
		`source with name "shop" does not exist`,
		"Look at the name, the source and the schema.",
	},
	{
		NotFound, "404 for addresses that don't exist", "There is no such endpoint, or a session variable or environment variable is missing that the metadata names.",
		`missing session variable: "x-engine-user-id"`,
		"Send the session variable, in the token or next to the admin secret; set environment variables in every service that [needs them](operations.md#separate-services).",
	},
	{
		NotInEffect, "", "The change of the metadata is saved, but some gateway doesn't know of it yet.",
		"the change is saved as resource version 12, but it is not in effect yet",
		"Don't send it again: it takes effect by itself. [Operations](operations.md#changes-that-are-not-in-effect) says what to look at.",
	},
	{
		NotSupported, "", "The requested feature doesn't exist for this kind of source, field or endpoint, or is switched off.",
		"Mutations are not allowed when read-only mode is enabled",
		"The message says what isn't supported.",
	},
	{
		ParseFailed, "", "A request has another shape than it should, or the GraphQL document has none.",
		`key "source" not found`,
		"Correct it at `path`.",
	},
	{
		PermissionDenied, "", "The role has no permission for that table or column in a data operation of `/v1/query`, or a permission reads what its role may not.",
		`select on "tracks" for role "editor" is not allowed. `,
		"Give the role the permission ([Permissions](permissions.md)).",
	},
	{
		PermissionError, "", "The role's permission refuses a row that was to be written, or a CHECK constraint of the database does.",
		"check constraint of an insert/update permission has failed",
		"Write another row, or change the `check` of the [permission](permissions.md#writing).",
	},
	{
		PostgresError, "400 for statements of `run_sql`; 503 when it is the metadata's database", "The database doesn't answer, refuses the connection, or the SQL of an administrator.",
		"connection error",
		"Look at the address, the password, the server and its log; `internal` has the reason.",
	},
	{
		PostgresMaxConns, "", "The database has no connection left (`max_connections` of the server).",
		"max connections reached on postgres",
		"Give the pools fewer connections ([Databases](databases.md#pools)), or the server more.",
	},
	{
		RateLimitExceeded, "", "The client has sent more requests in the last minute than its role may.",
		"rate limit exceeded: at most 600 requests per minute are allowed",
		"Wait, or have the limit changed ([`set_api_limits`](operations.md#limits-of-the-api)).",
	},
	{
		RemoteSchemaConflicts, "", "The schema has a type or root field of that name already.",
		"node albums already exists in current graphql schema",
		"Give one of them another name ([custom names](functions-and-names.md), `customization` of remote schemas).",
	},
	{
		RemoteSchemaError, "", "A remote schema doesn't answer, or not as its schema says; or its document or permissions can't be used.",
		`HTTP exception occurred while sending the request to "https://charts.example/graphql"`,
		"Look at that server; `internal` has its answer. [Remote schemas](remote-schemas.md).",
	},
	{
		SQLiteError, "400 for statements of `run_sql`", "The file can't be opened, or the SQL of an administrator.",
		"connection error",
		"Look at the path and the rights of the file; `internal` has the reason ([SQLite](sqlite.md)).",
	},
	{
		StartFailed, "", "A subscription was not begun: its WebSocket isn't authenticated, or there are too many. Programs use it for settings with which they don't start.",
		"the session has too many subscriptions: at most 2000 are allowed",
		"Send `connection_init` first; end subscriptions that are no longer used ([bounds](security.md#what-a-request-can-cost)).",
	},
	{
		TimeLimitExceeded, "", "The request took longer than the role may take.",
		"time limit exceeded: the operation took longer than 2.5 seconds",
		"Ask for less, add an index, or have the limit changed ([`set_api_limits`](operations.md#limits-of-the-api)).",
	},
	{
		Timeout, "408 when the request itself took too long to come", "Something took longer than the engine waits. Queries were cancelled in the database; whether a mutation happened isn't known when its commit was on the way.",
		"the database did not answer within the time limit",
		"Ask for less or add an index; `--request-timeout` bounds all requests.",
	},
	{
		Unexpected, "503 when a service, NATS or the metadata database is away, with `Retry-After` unless the request may have been carried out", "Something failed that isn't the fault of the request. Also other errors of the database than the ones above: an exception of a trigger, a missing right.",
		"database query error",
		"With 503 try again; a message that says that the request may have been carried out is of a mutation, whose effect is to be looked for first. Else look at `internal` and the log of the service; the line has the request's id.",
	},
	{
		UnexpectedPayload, "", "Arguments of a request are readable, and don't make sense together.",
		"objects should not be empty",
		"Correct it at `path`.",
	},
	{
		ValidationFailed, "", "The GraphQL operation doesn't fit the schema of the role, isn't on the allow list, or goes beyond [a bound](security.md#what-a-request-can-cost). Also what a webhook that checks input says no to.",
		"field 'lenght' not found in type: 'tracks_bool_exp'",
		"Correct it at `path`. What a role has no permission for isn't in its schema: ask for the schema with the same role.",
	},
}
