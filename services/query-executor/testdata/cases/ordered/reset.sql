TRUNCATE place, owner, item, part RESTART IDENTITY;
