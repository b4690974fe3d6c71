import DaemonHost
import SystemPackage

/// A row of the tables in `docs/troubleshooting.md`: what is shown when something has happened, and
/// which commands bring the state back.
struct TroubleRow: Sendable {
    /// The number of the case.
    let number: Int
    /// The sentences that are shown; `…` stands for anything.
    let shown: [String]
    /// The commands, in their order.
    let commands: [String]

    /// The rows of the document, by their numbers.
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
                number: number, shown: code(in: cells[2]), commands: code(in: cells[4]))
        }
        return rows
    }

    /// The pieces of code type in a cell.
    private static func code(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Whether a text holds a sentence.
    static func holds(_ text: String, _ sentence: String) -> Bool {
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
