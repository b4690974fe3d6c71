extension TextCanvas {
    /// A rectangle cut out of what was drawn.
    ///
    /// Half of a wide character at an edge is a space. Left, right and above of what was drawn the
    /// part is blank; below it has no lines.
    ///
    /// - Parameters:
    ///   - columns: counted from 0 at the left edge; at least one, at most ``widest``.
    ///   - lines: counted from 0 at the top.
    public func part(columns: Range<Int>, lines: Range<Int>) -> TextCanvas {
        let count = columns.upperBound.subtractingReportingOverflow(columns.lowerBound)
        var part = TextCanvas(width: count.overflow ? Self.widest : count.partialValue)
        let end = columns.lowerBound.addingReportingOverflow(part.width)
        let wanted = columns.lowerBound..<(end.overflow ? Int.max : end.partialValue)
        let last = min(lines.upperBound, self.lines.count)
        guard lines.lowerBound < last else { return part }
        let above = min(max(0, 0 - max(lines.lowerBound, -Self.highest)), Self.highest)
        part.lines = Array(repeating: String(repeating: " ", count: part.width), count: above)
        part.lines += self.lines[max(0, lines.lowerBound)..<max(0, last)].map { line in
            Self.cut(line, to: wanted, width: part.width)
        }
        return part
    }

    /// The most blank lines above what was drawn.
    private static let highest = 4096

    private static func cut(_ line: String, to wanted: Range<Int>, width: Int) -> String {
        var result = ""
        var taken = 0
        if wanted.lowerBound < 0 {
            taken = min(width, wanted.lowerBound == .min ? width : -wanted.lowerBound)
            result = String(repeating: " ", count: taken)
        }
        var column = 0
        for character in line {
            guard column < wanted.upperBound else { break }
            let end = column + character.terminalColumns
            let seen = min(end, wanted.upperBound) - max(column, wanted.lowerBound)
            if seen == end - column {
                result.append(character)
                taken += seen
            } else if seen > 0 {
                result += String(repeating: " ", count: seen)
                taken += seen
            }
            column = end
        }
        return result + String(repeating: " ", count: width - taken)
    }
}
