package scale

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"onlyonce/internal/postgres/server"
)

// service is a program that runs in the background, and can be started again after its end.
type service struct {
	account server.Account
	group   int    // the process group that it joins
	log     string // the path of its output
	command []string

	running *exec.Cmd
	ended   chan struct{}
}

// start starts the program, and does not wait until it serves. ctx is for the start only.
func (s *service) start(ctx context.Context) error {
	log, err := os.OpenFile(s.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has inherited it
	cmd := s.account.Command(context.WithoutCancel(ctx), s.command[0], s.command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr.Pgid = s.group
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.command[0], err)
	}
	ended := make(chan struct{})
	s.running, s.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the reason of its end is in its log
	}()
	return nil
}

// signal sends a signal, unless the program has ended.
func (s *service) signal(signal syscall.Signal) { _ = s.running.Process.Signal(signal) }

// kill ends the program at once, if it was started.
func (s *service) kill() {
	if s.running == nil {
		return
	}
	s.signal(syscall.SIGKILL)
	<-s.ended
}
