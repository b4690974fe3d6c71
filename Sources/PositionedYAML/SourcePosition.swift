/// A place in a text file.
///
/// Lines and columns start at 1. A column counts Unicode scalars, as the YAML parser does.
package struct SourcePosition: Sendable, Hashable {
    /// The file as it was named when it was opened.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The column in Unicode scalars, from 1.
    package let column: Int

    /// Makes a position; the default is the start of the file.
    package init(file: String, line: Int = 1, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension SourcePosition: CustomStringConvertible {
    /// `file:line:column`, the form that editors can jump to.
    package var description: String { "\(file):\(line):\(column)" }
}
