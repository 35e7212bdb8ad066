package torture

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// leash holds a process group that dies with this program, kill -9 included: the kernel then closes the
// pipe that the leash reads.
type leash struct {
	group int
	pipe  io.Closer
	cmd   *exec.Cmd
}

func newLeash(ctx context.Context) (*leash, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", "cat; kill -KILL 0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the leash: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the leash: %w", err)
	}
	return &leash{group: cmd.Process.Pid, pipe: pipe, cmd: cmd}, nil
}

// release kills whatever is left in the group.
func (l *leash) release() {
	_ = l.pipe.Close()
	_ = l.cmd.Wait() // it kills itself, too
}
