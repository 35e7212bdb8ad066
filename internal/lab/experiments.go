package lab

// Experiments returns all experiments, in the order in which they are shown.
func Experiments() (all []Experiment) {
	for _, s := range scripts() {
		all = append(all, s.Experiment)
	}
	return all
}

func scripts() []script {
	all := []script{
		fiveClicks(), twoTabs(), lostAnswer(), sameNumber(), twoEdits(), payTwice(), oneEvent(), twoClocks(), tomorrow(), fifty(),
		signUp(), upload(), kill(), stopPostgres(),
	}
	for n, s := range all {
		t := takeaways()[s.Slug]
		t.SQL = s.counts
		for _, layer := range s.Layers {
			t.Code = append(t.Code, code(layer.Slug))
		}
		all[n].Takeaway = t
	}
	return all
}
