-- A customer that is erased before it was archived is one of an import that is taken back. Nothing refers to it, so there is nothing to
-- erase in the tables of invoices.

-- +goose Up
DROP TRIGGER erase_invoices ON customers;
CREATE TRIGGER erase_invoices AFTER UPDATE OF erased_at ON customers FOR EACH ROW
    WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND OLD.archived_at IS NOT NULL) EXECUTE FUNCTION erase_invoices();

-- +goose Down
DROP TRIGGER erase_invoices ON customers;
CREATE TRIGGER erase_invoices AFTER UPDATE OF erased_at ON customers FOR EACH ROW
    WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_invoices();
