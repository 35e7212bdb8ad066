-- Customers note what they are like, whatever inserts them.

-- +goose Up
CREATE TRIGGER note_likeness AFTER INSERT ON customers FOR EACH ROW EXECUTE FUNCTION note_likeness('10 minutes', 'name', 'tax_id');

-- +goose Down
DROP TRIGGER note_likeness ON customers;
