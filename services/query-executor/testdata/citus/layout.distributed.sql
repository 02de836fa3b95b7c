SELECT create_reference_table('shop.country');
SELECT create_reference_table('shop.product');
SELECT create_distributed_table('shop.tenant', 'id');
SELECT create_distributed_table('shop.customer', 'tenant_id', colocate_with => 'shop.tenant');
SELECT create_distributed_table('shop.invoice', 'tenant_id', colocate_with => 'shop.tenant');
SELECT create_distributed_table('shop.invoice_line', 'tenant_id', colocate_with => 'shop.tenant');
SELECT create_distributed_table('shop.log', 'tenant_id', colocate_with => 'shop.tenant');
