import TerminalText

/// Output in aligned columns.
enum Table {
    /// Prints a header and a row for each element.
    ///
    /// - Parameters:
    ///   - color: Closure that returns the color of an element's row, or `nil` for the default color.
    ///   - cells: Closure that returns the cells in an element's row, one for each column of the header.
    static func print<Element>(
        _ header: String..., rows elements: [Element],
        color: (Element) -> Terminal.Color? = { _ in nil }, cells: (Element) -> [String]
    ) {
        let lines = alignedLines([header] + elements.map(cells))
        for (line, color) in zip(lines, [.bold] + elements.map(color)) {
            Terminal.print(line, color)
        }
    }

    /// Returns a line for each row. All rows have the same number of cells, and the columns are aligned.
    static func alignedLines(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { $0[column].columns }.max() ?? 0
        }
        return rows.map { cells in
            let paddedCells = zip(cells.dropLast(), widths).map { $0.padded($1) }
            return (paddedCells + [cells.last ?? ""]).joined(separator: "  ")
        }
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
