// Package construct is kernel 1 on a GPU: from tuples to rows of neighbours in
// compressed form (index.cu, rows.cu, sort.cu). It must not know what searches the
// graph. Without the build tag cuda it is empty.
package construct
