package lab

import (
	"context"
	"net/http"
)

func upload() script {
	const counts = "SELECT file_name, left(encode(file_digest, 'hex'), 8) AS digest, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\n" +
		"FROM attachments ORDER BY id"
	attach := func(who string, intent, replica int) lane {
		return lane{
			who: who, intent: intent, replica: replica, method: http.MethodPost, path: invoicesPath + "/{id}/attachments",
			body: `{"file": {"name": "order.txt", "content": "VHdvIHBvc3RlcnMK"}}`,
		}
	}
	return script{
		Experiment: Experiment{
			Slug: "upload", Title: "Upload a file impatiently",
			Story: "You attach a file to an invoice, and press “Attach file” twice, because the upload takes long. Then you choose the " +
				"same file once more in a second tab. Two servers answer.",
			Question: "How many attachments will the invoice have?", Guesses: []int{0, 1, 2, 3},
			Layers: []Layer{{
				intent, "the intent", "The database does not recognise a key that it has seen before, and the servers remember none.",
			}, {fileDigest, "the digest of the file", "The database does not compare the file with those that the invoice has."}},
		},
		replicas: 2, noun: "attachment", counts: counts, marks: `SELECT id::text FROM attachments ORDER BY id`,
		lanes: []lane{attach("Click 1", 0, 0), attach("Click 2, another server", 0, 1), attach("Second tab", 1, 0)},
		play: func(ctx context.Context, s *stage) error {
			if err := s.prepare(ctx, invoiceLane("")); err != nil {
				return err
			}
			if err := s.together(ctx, []int{0, 1}, `LOCK TABLE attachments IN SHARE MODE`); err != nil {
				return err
			}
			s.send(ctx, 2)
			return nil
		},
	}
}
