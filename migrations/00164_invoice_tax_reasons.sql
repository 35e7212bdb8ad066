-- The reason why lines of an invoice are exempt from tax, one for all of them (BT-120).

-- +goose Up
ALTER TABLE invoices ADD exemption_reason text NOT NULL DEFAULT '';
ALTER TABLE schedules ADD exemption_reason text NOT NULL DEFAULT '';

-- keep_exemption_reason refuses to issue exempt lines without their reason, and to change it afterwards.
-- +goose StatementBegin
CREATE FUNCTION keep_exemption_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'draft' AND NEW.exemption_reason <> OLD.exemption_reason THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    ELSIF NEW.status = 'issued' AND NEW.exemption_reason = '' AND EXISTS (
        SELECT FROM invoice_lines WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id AND tax_treatment = 'exempt') THEN
        RAISE EXCEPTION 'exempt from tax without a reason'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_exemption_reason';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_exemption_reason BEFORE UPDATE ON invoices FOR EACH ROW
    WHEN (NEW.exemption_reason <> OLD.exemption_reason OR NEW.status = 'issued' AND OLD.status = 'draft')
    EXECUTE FUNCTION keep_exemption_reason();

-- +goose Down
DROP TRIGGER keep_exemption_reason ON invoices;
DROP FUNCTION keep_exemption_reason;
ALTER TABLE schedules DROP exemption_reason;
ALTER TABLE invoices DROP exemption_reason;
