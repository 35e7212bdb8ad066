-- The conditions of invoices and their lines are those of domains over their rows. PostgreSQL parses the text of each CHECK of a table for
-- every statement, and the conditions of a domain once per connection.

-- +goose Up
ALTER TABLE invoice_lines
    DROP CONSTRAINT invoice_lines_discount,
    DROP CONSTRAINT invoice_lines_discount_rate,
    DROP CONSTRAINT invoice_lines_in_range,
    DROP CONSTRAINT invoice_lines_net,
    DROP CONSTRAINT invoice_lines_price_fraction,
    DROP CONSTRAINT invoice_lines_untaxed;

CREATE DOMAIN valid_invoice_line AS invoice_lines
    CONSTRAINT invoice_lines_in_range CHECK (
        (VALUE).position > 0 AND (VALUE).description <> '' AND (VALUE).quantity <> 0 AND (VALUE).tax_rate BETWEEN 0 AND 100)
    CONSTRAINT invoice_lines_price_fraction CHECK (
        (VALUE).price_fraction >= 0 AND (VALUE).price_fraction < 1 AND scale((VALUE).price_fraction) <= 6)
    CONSTRAINT invoice_lines_discount CHECK (
        (VALUE).discount BETWEEN
            LEAST(0, round((VALUE).quantity * ((VALUE).unit_price + (VALUE).price_fraction))) AND
            GREATEST(0, round((VALUE).quantity * ((VALUE).unit_price + (VALUE).price_fraction))))
    CONSTRAINT invoice_lines_discount_rate CHECK (
        (VALUE).discount_rate > 0 AND (VALUE).discount_rate <= 100 AND (VALUE).discount =
            round(round((VALUE).quantity * ((VALUE).unit_price + (VALUE).price_fraction)) * (VALUE).discount_rate * 0.01))
    CONSTRAINT invoice_lines_net CHECK (
        (VALUE).net = round((VALUE).quantity * ((VALUE).unit_price + (VALUE).price_fraction)) - (VALUE).discount)
    CONSTRAINT invoice_lines_untaxed CHECK ((VALUE).tax_treatment IS NULL OR (VALUE).tax_rate = 0);

-- The comparison makes PostgreSQL convert the row, and is true for each.
ALTER TABLE invoice_lines ADD CONSTRAINT invoice_lines_valid CHECK (invoice_lines::valid_invoice_line IS DISTINCT FROM NULL);

ALTER TABLE invoices
    DROP CONSTRAINT invoices_dated,
    DROP CONSTRAINT invoices_due_after_issue,
    DROP CONSTRAINT invoices_duplicates_are_void,
    DROP CONSTRAINT invoices_external,
    DROP CONSTRAINT invoices_number_ascii,
    DROP CONSTRAINT invoices_number_of_its_year,
    DROP CONSTRAINT invoices_supplied_from,
    DROP CONSTRAINT invoices_supplied_to,
    DROP CONSTRAINT invoices_total_adds_up;

CREATE DOMAIN valid_invoice AS invoices
    CONSTRAINT invoices_dated CHECK ((VALUE).issue_date >= '2000-01-01' AND (VALUE).due_date <= '2099-12-31')
    CONSTRAINT invoices_due_after_issue CHECK ((VALUE).due_date >= (VALUE).issue_date)
    CONSTRAINT invoices_duplicates_are_void CHECK ((VALUE).duplicate_of IS NULL OR (VALUE).status = 'void')
    CONSTRAINT invoices_external CHECK (num_nonnulls((VALUE).source, (VALUE).external_id, (VALUE).external_digest) IN (0, 3))
    CONSTRAINT invoices_number_ascii CHECK ((VALUE).number_folded ~ '^[!-~]+( [!-~]+)*$')
    CONSTRAINT invoices_number_of_its_year CHECK (
        (VALUE).number_folded !~ '^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$' OR left((VALUE).number_folded, 4) = (VALUE).issue_year::text)
    CONSTRAINT invoices_supplied_from CHECK ((VALUE).supplied_from BETWEEN '2000-01-01' AND '2099-12-31')
    CONSTRAINT invoices_supplied_to CHECK (
        (VALUE).supplied_to IS NULL OR (VALUE).supplied_from IS NOT NULL AND (VALUE).supplied_to >= (VALUE).supplied_from
            AND (VALUE).supplied_to <= '2099-12-31')
    CONSTRAINT invoices_total_adds_up CHECK ((VALUE).total = (VALUE).subtotal + (VALUE).tax_total);

ALTER TABLE invoices ADD CONSTRAINT invoices_valid CHECK (invoices::valid_invoice IS DISTINCT FROM NULL);

-- +goose Down
ALTER TABLE invoices
    DROP CONSTRAINT invoices_valid,
    ADD CONSTRAINT invoices_dated CHECK (issue_date >= '2000-01-01' AND due_date <= '2099-12-31'),
    ADD CONSTRAINT invoices_due_after_issue CHECK (due_date >= issue_date),
    ADD CONSTRAINT invoices_duplicates_are_void CHECK (duplicate_of IS NULL OR status = 'void'),
    ADD CONSTRAINT invoices_external CHECK (num_nonnulls(source, external_id, external_digest) IN (0, 3)),
    ADD CONSTRAINT invoices_number_ascii CHECK (number_folded ~ '^[!-~]+( [!-~]+)*$'),
    ADD CONSTRAINT invoices_number_of_its_year CHECK (
        number_folded !~ '^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$' OR left(number_folded, 4) = issue_year::text),
    ADD CONSTRAINT invoices_supplied_from CHECK (supplied_from BETWEEN '2000-01-01' AND '2099-12-31'),
    ADD CONSTRAINT invoices_supplied_to CHECK (
        supplied_to IS NULL OR supplied_from IS NOT NULL AND supplied_to >= supplied_from AND supplied_to <= '2099-12-31'),
    ADD CONSTRAINT invoices_total_adds_up CHECK (total = subtotal + tax_total);
DROP DOMAIN valid_invoice;

ALTER TABLE invoice_lines
    DROP CONSTRAINT invoice_lines_valid,
    ADD CONSTRAINT invoice_lines_in_range CHECK (position > 0 AND description <> '' AND quantity <> 0 AND tax_rate BETWEEN 0 AND 100),
    ADD CONSTRAINT invoice_lines_price_fraction CHECK (price_fraction >= 0 AND price_fraction < 1 AND scale(price_fraction) <= 6),
    ADD CONSTRAINT invoice_lines_discount CHECK (discount BETWEEN
        LEAST(0, round(quantity * (unit_price + price_fraction))) AND GREATEST(0, round(quantity * (unit_price + price_fraction)))),
    ADD CONSTRAINT invoice_lines_discount_rate CHECK (
        discount_rate > 0 AND discount_rate <= 100
        AND discount = round(round(quantity * (unit_price + price_fraction)) * discount_rate * 0.01)),
    ADD CONSTRAINT invoice_lines_net CHECK (net = round(quantity * (unit_price + price_fraction)) - discount),
    ADD CONSTRAINT invoice_lines_untaxed CHECK (tax_treatment IS NULL OR tax_rate = 0);
DROP DOMAIN valid_invoice_line;
