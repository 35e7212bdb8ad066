// Command image writes an image with the program alone, like the Dockerfile, into a file for docker load, without Docker.
//
//	go run ./internal/tool/release/cmd/image -program onlyonce -arch amd64 -tag onlyonce:0.1.0 image.tar
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// certificates are the certificate authorities of this machine: mail servers and databases are reached by TLS.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

func main() {
	program := flag.String("program", "", "the program, for Linux")
	arch := flag.String("arch", "", "its GOARCH")
	tag := flag.String("tag", "", "name:version of the image")
	flag.Parse()
	if err := write(flag.Arg(0), *program, *arch, *tag); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(path, program, arch, tag string) error {
	reference, err := name.NewTag(tag)
	if err != nil {
		return fmt.Errorf("tag %s: %w", tag, err)
	}
	files, err := archive(program)
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil })
	if err != nil {
		return fmt.Errorf("make the layer: %w", err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return fmt.Errorf("add the layer: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return fmt.Errorf("read the settings of the image: %w", err)
	}
	config.OS, config.Architecture = "linux", arch
	config.Config = v1.Config{
		Entrypoint: []string{"/onlyonce"}, Env: []string{"ADDR=:8080"}, User: "65532:65532",
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/onlyonce", "health"},
			Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second,
		},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return fmt.Errorf("set the settings of the image: %w", err)
	}
	if err := tarball.WriteToFile(path, reference, image); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func archive(program string) ([]byte, error) {
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	for _, file := range []struct {
		name, path string
		mode       int64
	}{{"onlyonce", program, 0o755}, {certificates[1:], certificates, 0o644}} {
		content, err := os.ReadFile(file.path)
		if err != nil {
			return nil, fmt.Errorf("read a file of the image: %w", err)
		}
		if err := w.WriteHeader(&tar.Header{Name: file.name, Mode: file.mode, Size: int64(len(content))}); err != nil {
			return nil, fmt.Errorf("write %s: %w", file.name, err)
		}
		if _, err := w.Write(content); err != nil {
			return nil, fmt.Errorf("write %s: %w", file.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("end the archive: %w", err)
	}
	return files.Bytes(), nil
}
