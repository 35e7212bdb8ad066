package lab

// Experiments are all that there are, in the order in which they are shown.
func Experiments() (all []Experiment) {
	for _, s := range scripts() {
		all = append(all, s.Experiment)
	}
	return all
}

func scripts() []script {
	all := []script{
		fiveClicks(), twoTabs(), lostAnswer(), sameNumber(), twoEdits(), payTwice(), oneEvent(), twoClocks(), tomorrow(), fifty(),
		kill(), stopPostgres(),
	}
	for n, s := range all {
		all[n] = s.withTakeaway()
	}
	return all
}
