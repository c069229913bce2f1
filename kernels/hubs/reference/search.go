package reference

// search is the state of Search.
type search struct {
	parts   []*Part
	parents []uint32
	next    []Vertex
}

// Search is a plain search of a graph from a root with a neighbour. It returns the parents of
// all labels, None for those that are not reached.
func Search(parts []*Part, root uint32) []uint32 {
	s := &search{parts: parts}
	for _, p := range parts {
		for range p.Vertices {
			s.parents = append(s.parents, None)
		}
	}
	s.parents[root] = root
	v := s.vertex(root)
	if v&LeafFlag != 0 { // NoVertex has the flag too, but is no root
		v &^= LeafFlag
		s.find(v, root)
	} else {
		s.next = append(s.next, v)
	}
	for len(s.next) > 0 {
		frontier := s.next
		s.next = nil
		for _, v := range frontier {
			s.expand(v)
		}
	}
	s.reachLeaves()
	return s.parents
}

func (s *search) vertex(label uint32) Vertex {
	for _, p := range s.parts {
		if uint64(label)-p.FirstLabel < uint64(len(p.Vertices)) {
			return p.Vertices[uint64(label)-p.FirstLabel]
		}
	}
	return NoVertex
}

// label returns the label of a hub or a row.
func (s *search) label(v Vertex) uint32 {
	if v&HubFlag != 0 {
		return s.parts[0].HubLabels[v&^HubFlag]
	}
	p := s.part(uint64(v))
	return p.RowLabels[uint64(v)-p.FirstRow]
}

// part returns the part of a row.
func (s *search) part(row uint64) *Part {
	for _, p := range s.parts {
		if row-p.FirstRow < p.Rows() {
			return p
		}
	}
	return nil
}

// find gives a hub or a row a parent, if it has none.
func (s *search) find(v Vertex, parent uint32) {
	if at := &s.parents[s.label(v)]; *at == None {
		*at = parent
		s.next = append(s.next, v)
	}
}

func (s *search) findHub(hub uint16, parent uint32) {
	if hub != NoHub {
		s.find(HubFlag|Vertex(hub), parent)
	}
}

func (s *search) findRows(pieces [][RowsEach]uint32, parent uint32) {
	for _, piece := range pieces {
		for _, row := range piece {
			if row != NoRow {
				s.find(Vertex(row), parent)
			}
		}
	}
}

func (s *search) findHubs(pieces [][HubsEach]uint16, parent uint32) {
	for _, piece := range pieces {
		for _, hub := range piece {
			s.findHub(hub, parent)
		}
	}
}

// expand finds the neighbours of a hub or a row, without leaves.
func (s *search) expand(v Vertex) {
	label := s.label(v)
	if v&HubFlag != 0 {
		h := v &^ HubFlag
		for _, p := range s.parts {
			s.findRows(p.HubRowList[p.HubRowAt[h]:p.HubRowAt[h+1]], label)
		}
		p := s.parts[0]
		s.findHubs(p.HubLists[p.HubListAt[h]:p.HubListAt[h+1]], label)
		return
	}
	p := s.part(uint64(v))
	row := uint64(v) - p.FirstRow
	switch {
	case row < p.HubRows:
		s.findHub(p.Heads[row].Hub, label)
		for _, hub := range p.Seconds[row] {
			s.findHub(hub, label)
		}
		s.findHubs(p.Further[p.FurtherAt[row]:p.FurtherAt[row+1]], label)
	case row < p.HubRows+p.SingleRows:
		s.findHub(p.SingleHub[row-p.HubRows], label)
	}
	s.findRows(p.RowLists[p.RowListAt[row]:p.RowListAt[row+1]], label)
}

// reachLeaves gives the leaves of reached vertices their parents.
func (s *search) reachLeaves() {
	for v := range s.parents {
		x := s.vertex(uint32(v))
		if x == NoVertex || x&LeafFlag == 0 || s.parents[v] != None {
			continue
		}
		if center := s.label(x &^ LeafFlag); s.parents[center] != None {
			s.parents[v] = center
		}
	}
}
