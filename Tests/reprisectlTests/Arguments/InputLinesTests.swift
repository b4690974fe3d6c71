import LinuxIO
import TestSupport
import Testing

@testable import reprisectl

/// Lines of a batch.
@Suite struct InputLinesTests {
    @Test(arguments: [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n\nb\n", ["a", "", "b"]), ("a\nb", ["a", "b"]),
    ])
    func `a batch is read line by line`(text: String, lines: [String]) throws {
        let scratch = try ScratchDirectory()
        try scratch.write("batch", text)
        var input = try InputLines(path: scratch.file("batch"))
        for (index, line) in lines.enumerated() {
            #expect(try input.next() == Array(line.utf8))
            #expect(input.lineNumber == index + 1)
        }
        #expect(try input.next() == nil)
        #expect(input.lineNumber == lines.count)
        #expect(throws: Failure.self) { try InputLines(path: scratch.file("none")) }
    }

    @Test func `short lines after a long line are read`() throws {
        let scratch = try ScratchDirectory()
        // A line is read in chunks of 64 KiB.
        let long = String(repeating: "x", count: 70_000)
        try scratch.write("batch", "\(long)\na\n\nb\n")
        var input = try InputLines(path: scratch.file("batch"))
        for line in [long, "a", "", "b"] { #expect(try input.next() == Array(line.utf8)) }
        #expect(input.lineNumber == 4)
        #expect(try input.next() == nil)
    }

    @Test(arguments: [0, 1, 1 << 16])
    func `a line of a batch has a maximum length`(excess: Int) throws {
        let scratch = try ScratchDirectory()
        let directory = try Directory.openOrCreate(scratch.path)
        let file = try directory.createFile("batch")
        try file.truncate(to: InputLines.maximumBytes + excess)
        var input = try InputLines(path: scratch.file("batch"))
        if excess == 0 {
            #expect(try input.next()?.count == InputLines.maximumBytes)
        } else {
            #expect(throws: Failure.self) { try input.next() }
        }
    }
}
