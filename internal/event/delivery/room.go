package delivery

import (
	"github.com/riverqueue/river"

	"onlyonce/internal/room"
)

// workers is the number of deliveries that a replica sends at once, more than one tenant can take.
const workers = 64

// Room returns the additions of deliveries to the app.
func Room() room.Room { return room.Room{Jobs: addJobs, Expire: expire} }

func addJobs(jobs room.Jobs) error {
	river.AddWorker(jobs.River.Workers, NewWorker(Config{
		Pool: jobs.Mails.Pool, Log: jobs.Log, Key: jobs.Key, Event: jobs.Event, Private: jobs.Private,
	}))
	jobs.River.Queues[Queue] = river.QueueConfig{MaxWorkers: workers}
	mails, err := NewMailWorker(jobs.Mails, jobs.Origin, jobs.Product)
	if err != nil {
		return err
	}
	river.AddWorker(jobs.River.Workers, mails)
	return nil
}
