import TerminalText

/// Rows with aligned columns below a header.
struct Table {
    private let header: [String]
    private var rows: [(cells: [String], color: Terminal.Color?)] = []

    /// Creates a table without rows.
    init(_ header: String...) {
        self.header = header
    }

    /// Adds a row.
    mutating func add(_ cells: String..., color: Terminal.Color? = nil) {
        rows.append((cells, color))
    }

    /// Prints the header and the rows with aligned columns.
    func print() {
        let widths = header.indices.map { column in
            ([header] + rows.map(\.cells)).map { $0[column].columns }.max() ?? 0
        }
        Terminal.print(Self.line(header, widths), .bold)
        for row in rows {
            let line = Self.line(row.cells, widths)
            if let color = row.color { Terminal.print(line, color) } else { Terminal.print(line) }
        }
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells.dropLast(), widths).map { $0.padded($1) }
        return (padded + [cells.last ?? ""]).joined(separator: "  ")
    }
}

extension String {
    /// Width of the printed text in terminal columns.
    var columns: Int { printable.terminalColumns }

    /// Returns the text, padded with spaces to the given number of columns.
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Terminal {
    /// Prints the directory that contains a file, as a line below a table.
    static func printDirectory(of path: String?) {
        guard let path, let end = path.lastIndex(of: "/") else { return }
        print("in \(path[..<end])")
    }
}
