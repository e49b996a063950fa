package boltfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// An InUseError reports that another process holds the file.
type InUseError struct {
	Path   string
	Holder Holder // zero where it is not known
}

// Error names the file and, where it is known, the process that holds it.
func (e *InUseError) Error() string {
	if e.Holder.PID == 0 {
		return e.Path + ": in use by another process"
	}
	return fmt.Sprintf("%s: in use by process %d (%s on %s, since %s)",
		e.Path, e.Holder.PID, e.Holder.Command, e.Holder.Host, e.Holder.Since.Format(time.RFC3339))
}

// A Holder is the process that holds a file. It is kept in a file beside it,
// with ".pid" behind the name, since a lock does not tell whose it is. The lock
// alone says whether the file is held: what a killed process left behind counts
// for nothing.
type Holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
}

func holderPath(path string) string { return path + ".pid" }

// writeHolder names this process as the holder. That may fail, on a full disk
// say: then the holder is unknown, and nothing else is lost.
func (f *File) writeHolder() {
	host, err := os.Hostname()
	if err != nil {
		host = "this host"
	}
	data, err := json.Marshal(Holder{
		PID: os.Getpid(), Command: filepath.Base(os.Args[0]), Host: host, Since: time.Now().UTC().Truncate(time.Second),
	})
	if err != nil {
		return
	}
	temp := holderPath(f.path) + ".new"
	os.Remove(temp) // also where it is a link
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = file.Write(append(data, '\n'))
		err = errors.Join(err, file.Close())
	}
	if err == nil {
		err = os.Rename(temp, holderPath(f.path))
	}
	if err != nil {
		os.Remove(temp)
		os.Remove(holderPath(f.path)) // rather nobody than the one before
	}
}

func (f *File) removeHolder() { os.Remove(holderPath(f.path)) }

func readHolder(path string) Holder {
	var h Holder
	data, err := os.ReadFile(holderPath(path))
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Holder{}
	}
	return h
}
