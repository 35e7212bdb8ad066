-- Lists of customers can be sorted by name.

-- +goose Up
CREATE INDEX customers_by_name_active ON customers (tenant_id, name_folded, id) WHERE archived_at IS NULL;
CREATE INDEX customers_by_name_archived ON customers (tenant_id, name_folded, id) WHERE archived_at IS NOT NULL AND merged_into IS NULL;

-- +goose Down
DROP INDEX customers_by_name_active, customers_by_name_archived;
