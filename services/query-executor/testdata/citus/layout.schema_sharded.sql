SELECT citus_schema_distribute('shop');
