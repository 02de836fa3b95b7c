SELECT create_reference_table('shop.country');
SELECT create_reference_table('shop.product');
SELECT create_reference_table('shop.tenant');
SELECT create_reference_table('shop.customer');
SELECT create_reference_table('shop.invoice');
SELECT create_reference_table('shop.invoice_line');
SELECT create_reference_table('shop.log');
