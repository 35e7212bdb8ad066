package replica

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// Leash holds a process group that dies with this program, even on kill -9: the kernel then closes the pipe that the leash reads.
type Leash struct {
	Group int
	pipe  io.Closer
	cmd   *exec.Cmd
}

// NewLeash starts a leash. It outlives ctx, until it is released.
func NewLeash(ctx context.Context) (*Leash, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", "cat; kill -KILL 0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the leash: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the leash: %w", err)
	}
	return &Leash{Group: cmd.Process.Pid, pipe: pipe, cmd: cmd}, nil
}

// Release kills the processes left in the group.
func (l *Leash) Release() {
	_ = l.pipe.Close()
	_ = l.cmd.Wait() // the leash kills itself, too
}
