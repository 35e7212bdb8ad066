package app

import (
	"github.com/riverqueue/river"

	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/mailer"
)

// addInvoiceMails adds the jobs that send mails about invoices.
func addInvoiceMails(workers *river.Workers, mails mailer.Config) error {
	worker, err := mail.NewWorker(mails)
	if err != nil {
		return err
	}
	river.AddWorker(workers, worker)
	return nil
}
