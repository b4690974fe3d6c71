import Testing

@testable import VarlinkGeneration

/// Lines that do not fit within the maximum number of columns.
struct CodeWriterTests {
    private let long = String(repeating: "x", count: 101)

    private func text(_ write: (inout CodeWriter) -> Void) -> String {
        var code = CodeWriter()
        write(&code)
        return code.text
    }

    @Test func `the brace of a block follows a head that cannot be split on a line of its own`() {
        #expect(
            text { $0.writeBlock(long) { $0.writeLine("body") } } == "\(long)\n{\n    body\n}\n")
    }

    @Test func `an empty list is not split`() {
        #expect(text { $0.writeList("\(long)(", [], ")") } == "\(long)()\n")
        #expect(text { $0.writeCall("\(long)(", [], "))") } == "\(long)())\n")
        #expect(text { $0.writeBlock(long, [], " tail") { _ in } } == "\(long)() tail\n{\n}\n")
    }

    @Test func `an item that does not fit has a line of its own`() {
        #expect(text { $0.writeList("head(", [long], ")") } == "head(\n    \(long)\n)\n")
        #expect(
            text { $0.writeList("head(", ["a", "b", long, "c"], ")") }
                == "head(\n    a, b,\n    \(long),\n    c\n)\n")
        #expect(text { $0.writeCall("head(", [long], "))") } == "head(\n    \(long)))\n")
    }

    @Test func `a continued list begins on the line of its head, even if no item fits there`() {
        #expect(text { $0.writeContinuedList("case ", [long], ":") } == "case \(long):\n")
        #expect(
            text { $0.writeContinuedList("case ", [long, "b", "c"], ":") }
                == "case \(long),\n    b, c:\n")
    }

    @Test func `a continued list is split where an item does not fit`() {
        let items = ["a", "b", "c", "d", "e"].map { String(repeating: $0, count: 40) }
        #expect(
            text { $0.writeContinuedList("case ", items, ":") } == """
                case \(items[0]), \(items[1]),
                    \(items[2]), \(items[3]),
                    \(items[4]):

                """)
        #expect(text { $0.writeContinuedList("case ", ["a", "b"], ":") } == "case a, b:\n")
    }

    @Test(arguments: [(100, true), (101, false)])
    func `a line has at most 100 columns, including its indentation`(columns: Int, fits: Bool) {
        let head = String(repeating: "x", count: columns - "    a, b)".utf8.count)
        let call = fits ? "    \(head)a, b)\n" : "    \(head)\n        a, b)\n"
        #expect(
            text { $0.writeBlock("block") { $0.writeCall(head, ["a", "b"], ")") } }
                == "block {\n\(call)}\n")
    }
}
