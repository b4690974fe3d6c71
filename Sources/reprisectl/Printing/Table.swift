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
    var columns: Int { Terminal.escaped(self).reduce(0) { $0 + $1.columns } }

    /// The text with spaces behind it, up to so many columns.
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Character {
    /// The columns of the character on a terminal: 2 of an emoji and of what is wide in East Asia
    /// (Unicode Standard Annex 11).
    fileprivate var columns: Int {
        guard !isASCII, let base = unicodeScalars.first else { return 1 }
        if base.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return switch base.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            2
        default: base.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}

extension Terminal {
    /// Prints below a table in which folder its files are.
    static func printFolder(of path: String?) {
        guard let path, let end = path.lastIndex(of: "/") else { return }
        print("in \(path[..<end])")
    }
}
