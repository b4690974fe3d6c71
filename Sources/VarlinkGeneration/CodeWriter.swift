import ExactText

/// Writer that produces Swift code line by line.
struct CodeWriter {
    /// Maximum number of columns in a line that can be split.
    private static let maximumColumns = 100

    private(set) var text = ""
    private var indentationDepth: Int

    init() { indentationDepth = 0 }

    /// Creates a writer whose code can be inserted into a block of another writer's code.
    init(inBlockOf outerWriter: CodeWriter) { indentationDepth = outerWriter.indentationDepth + 1 }

    /// Writes an indented line, or an empty line without indentation.
    mutating func writeLine(_ line: String = "") {
        if !line.isEmpty { text += String(repeating: "    ", count: indentationDepth) + line }
        text += "\n"
    }

    /// Writes a block in braces.
    mutating func writeBlock(_ head: String, _ body: (inout CodeWriter) -> Void) {
        openBlock(head)
        indentationDepth += 1
        body(&self)
        indentationDepth -= 1
        writeLine("}")
    }

    /// Writes a block whose head contains a list in parentheses. A list that does not fit on one line is split.
    mutating func writeBlock(
        _ head: String, _ items: [String], _ tail: String, _ body: (inout CodeWriter) -> Void
    ) {
        let singleLineText = "\(head)(\(items.joined(separator: ", ")))\(tail)"
        if items.isEmpty || fits(singleLineText + " {") { return writeBlock(singleLineText, body) }
        writeLine(head + "(")
        indent { $0.writeItems(items) }
        writeBlock(")\(tail)", body)
    }

    /// Writes the head of a block and its opening brace. A head that does not fit on one line is split as swift-format
    /// would split it.
    private mutating func openBlock(_ head: String) {
        if fits(head + " {") { return writeLine(head + " {") }
        let parts = head.split(separator: " -> ", maxSplits: 1).map(String.init)
        if fits(head) || parts.count < 2 {
            writeLine(head)
            return writeLine("{")
        }
        if let genericStart = parts[1].firstIndex(of: "<") {
            writeLine("\(parts[0]) -> \(parts[1][...genericStart])")
            let genericArguments = parts[1][genericStart...].dropFirst().dropLast()
            indent { $0.writeLine(String(genericArguments)) }
            return writeLine("> {")
        }
        writeLine(parts[0])
        indent { $0.writeLine("-> \(parts[1])") }
        writeLine("{")
    }

    /// Writes a list with a head and a tail. A list that does not fit on one line is split.
    mutating func writeList(_ head: String, _ items: [String], _ tail: String) {
        let singleLineText = head + items.joined(separator: ", ") + tail
        // swift-format leaves room for a comma after a collection.
        let isCollection = items.last?.hasSuffix("]") == true
        if fits(isCollection ? singleLineText + "," : singleLineText) || items.isEmpty {
            return writeLine(singleLineText)
        }
        writeLine(head)
        indent { $0.writeItems(items) }
        writeLine(tail)
    }

    /// Writes a call with arguments. Arguments that do not fit on one line are split across lines.
    mutating func writeCall(_ head: String, _ arguments: [String], _ tail: String) {
        let singleLineText = head + arguments.joined(separator: ", ") + tail
        if fits(singleLineText) || arguments.isEmpty { return writeLine(singleLineText) }
        writeLine(head)
        indent { $0.writeItems(arguments, tail) }
    }

    /// Writes a list whose first items are on the same line as the head. Further lines are indented.
    mutating func writeContinuedList(_ head: String, _ items: [String], _ tail: String) {
        var remainingItems = items[...]
        var firstLine = head
        while let item = remainingItems.first {
            let item = remainingItems.count == 1 ? item + tail : item + ","
            let extendedLine = firstLine == head ? firstLine + item : "\(firstLine) \(item)"
            if firstLine != head, !fits(extendedLine) { break }
            firstLine = extendedLine
            remainingItems.removeFirst()
        }
        writeLine(firstLine)
        if !remainingItems.isEmpty { indent { $0.writeItems(Array(remainingItems), tail) } }
    }

    /// Writes items, separated by commas, on as few lines as possible.
    private mutating func writeItems(_ items: [String], _ tail: String = "") {
        var currentLine = ""
        for (index, item) in items.enumerated() {
            let item = index == items.count - 1 ? item + tail : item + ","
            if !currentLine.isEmpty, !fits("\(currentLine) \(item)") {
                writeLine(currentLine)
                currentLine = ""
            }
            currentLine += currentLine.isEmpty ? item : " " + item
        }
        writeLine(currentLine)
    }

    /// Writes a case of a `switch` statement, on one line if it fits.
    mutating func writeCase(_ pattern: String, _ body: String) {
        let singleLineText = "\(pattern): \(body)"
        if fits(singleLineText) { return writeLine(singleLineText) }
        writeLine("\(pattern):")
        indent { $0.writeLine(body) }
    }

    /// Writes lines with one more level of indentation.
    mutating func indent(_ body: (inout CodeWriter) -> Void) {
        indentationDepth += 1
        body(&self)
        indentationDepth -= 1
    }

    /// Inserts the code that another writer has produced for this block, without leading empty lines.
    mutating func insert(_ blockWriter: CodeWriter) {
        text += blockWriter.text.drop { $0 == "\n" }
    }

    /// Writes a documentation comment.
    mutating func writeDocumentation(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            self.writeLine(line.isEmpty ? "///" : "/// \(line)")
        }
    }

    /// Returns whether a line fits within the maximum number of columns.
    func fits(_ line: String) -> Bool { indentationDepth * 4 + line.count <= Self.maximumColumns }
}
