import TerminalText

/// Rows below a header, for a person at a terminal. What a pipe gets has no header, as programs
/// depend on its form.
struct Table {
    private let header: [String]
    private var rows: [(cells: [String], color: Terminal.Color?)] = []

    /// A table without rows.
    init(_ header: String...) {
        self.header = header
    }

    /// Adds a row.
    mutating func add(_ cells: String..., color: Terminal.Color? = nil) {
        rows.append((cells, color))
    }

    /// Prints the header, and each row with its columns below those of the header.
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
    /// The columns that the text takes when it is printed.
    var columns: Int { printable.terminalColumns }

    /// The text with spaces behind it, up to so many columns.
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Terminal {
    /// Prints below a table in which folder its files are.
    static func printFolder(of path: String?) {
        guard let path, let end = path.lastIndex(of: "/") else { return }
        print("in \(path[..<end])")
    }
}
