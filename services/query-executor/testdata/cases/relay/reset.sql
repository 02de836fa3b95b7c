DELETE FROM chart WHERE country = 'it';
