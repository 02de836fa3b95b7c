CREATE SCHEMA shop;
CREATE TYPE shop.plan AS ENUM ('free', 'paid');
CREATE TABLE shop.country (code text PRIMARY KEY, name text);
CREATE TABLE shop.product (sku text PRIMARY KEY, name text, price numeric);
CREATE TABLE shop.tenant (id bigint PRIMARY KEY, name text, plan shop.plan);
CREATE TABLE shop.customer (
	gone int, tenant_id bigint, id bigint, email text, country_code text REFERENCES shop.country, score int NOT NULL DEFAULT 0, tags text[], info jsonb,
	PRIMARY KEY (tenant_id, id), CONSTRAINT customer_email_key UNIQUE (tenant_id, email),
	CONSTRAINT customer_tenant_fk FOREIGN KEY (tenant_id) REFERENCES shop.tenant (id)
);
ALTER TABLE shop.customer DROP COLUMN gone;
CREATE TABLE shop.invoice (
	tenant_id bigint, id bigint, customer_id bigint, total numeric, at timestamptz,
	PRIMARY KEY (tenant_id, id), CONSTRAINT invoice_customer_fk FOREIGN KEY (tenant_id, customer_id) REFERENCES shop.customer (tenant_id, id)
);
CREATE TABLE shop.invoice_line (
	tenant_id bigint, invoice_id bigint, line_no int, sku text REFERENCES shop.product, amount int,
	PRIMARY KEY (tenant_id, invoice_id, line_no), CONSTRAINT line_invoice_fk FOREIGN KEY (tenant_id, invoice_id) REFERENCES shop.invoice (tenant_id, id)
);
CREATE TABLE shop.log (tenant_id bigint, message text);
INSERT INTO shop.country VALUES ('de', 'Germany'), ('fr', 'France'), ('it', NULL);
INSERT INTO shop.product SELECT 'p' || n, 'product ' || n, n * 1.5 FROM generate_series(1, 5) n;
INSERT INTO shop.tenant SELECT n, 'tenant ' || n, CASE WHEN n % 2 = 0 THEN 'paid' ELSE 'free' END::shop.plan FROM generate_series(1, 4) n;
INSERT INTO shop.customer SELECT t, 100 + c, 'c' || c || '@' || t, (ARRAY['de', 'fr', NULL])[1 + c % 3], c * t, ARRAY['a', 'b' || c], jsonb_build_object('c', c)
	FROM generate_series(1, 4) t, generate_series(1, 5) c;
INSERT INTO shop.invoice SELECT t, 10 * c + i, 100 + c, t * c + i, timestamptz '2100-01-01 00:00:00Z' + i * interval '1 day'
	FROM generate_series(1, 4) t, generate_series(1, 4) c, generate_series(1, 3) i;
INSERT INTO shop.invoice_line SELECT t, 10 * c + i, l, 'p' || (1 + (t + c + l) % 5), l FROM generate_series(1, 4) t, generate_series(1, 4) c, generate_series(1, 3) i, generate_series(1, 2) l;
INSERT INTO shop.log SELECT t, 'message ' || n FROM generate_series(1, 4) t, generate_series(1, 3) n;
