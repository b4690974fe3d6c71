import DaemonHost
import SystemPackage

/// A row of the tables in `docs/troubleshooting.md`, with the expected messages and the commands that restore the
/// state.
struct TroubleRow: Sendable {
    /// The number of the case.
    let number: Int
    /// The expected sentences. `…` represents any text.
    let messages: [String]
    /// The commands, in order.
    let commands: [String]

    /// Returns the rows of the document, keyed by number.
    static func all() throws -> [Int: TroubleRow] {
        let document = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .removingLastComponent().removingLastComponent()
            .appending("docs/troubleshooting.md")
        var rows: [Int: TroubleRow] = [:]
        for line in try document.text().split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimming(" ") }
            guard cells.count == 5, let number = Int(cells[0]) else { continue }
            try Violation.unless(rows[number] == nil, "case \(number) is there twice")
            rows[number] = TroubleRow(
                number: number, messages: code(in: cells[2]), commands: code(in: cells[4]))
        }
        return rows
    }

    /// Returns the code spans in a cell.
    private static func code(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Returns whether a text contains a sentence.
    static func matches(_ text: String, _ sentence: String) -> Bool {
        var rest = text[...]
        for part in sentence.split(separator: "…").map({ $0.trimming(" ") }) {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}

extension Substring {
    fileprivate func trimming(_ character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}
