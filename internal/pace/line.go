package pace

// Lines are requests that are due and wait until their hosts have room. What is
// begun costs a goroutine or two; ten thousand that are due at once are a list,
// and those of a host that does not answer stay one. The zero Lines are empty.
type Lines[R any] struct{ byHost map[string]*line[R] }

type line[R any] struct {
	flying  int
	waiting []R
}

// ahead is how many requests for a host are begun beyond those that it may have
// at once: they wait at its gate, so that it is never idle.
const ahead = 2

// Enter lets r begin, of whose kind the host may have most at once, or puts it
// in line.
func (l *Lines[R]) Enter(host string, r R, most int) bool {
	at := l.byHost[host]
	if at == nil {
		if l.byHost == nil {
			l.byHost = map[string]*line[R]{}
		}
		at = &line[R]{}
		l.byHost[host] = at
	}
	if at.flying >= most+ahead {
		at.waiting = append(at.waiting, r)
		return false
	}
	at.flying++
	return true
}

// Leave ends a request of the host, and gives the next of its line that holds:
// it may now [Lines.Enter]. Others before it leave the line.
func (l *Lines[R]) Leave(host string, holds func(R) bool) (next R, ok bool) {
	at := l.byHost[host]
	at.flying--
	for len(at.waiting) > 0 {
		next, at.waiting = at.waiting[0], at.waiting[1:]
		if holds(next) {
			return next, true
		}
	}
	if at.flying == 0 {
		delete(l.byHost, host)
	}
	return next, false
}
