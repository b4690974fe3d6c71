import SystemPackage

/// Lines from a file or from standard input. Each line is available as soon as it has been read.
struct InputLines {
    /// Maximum size of a line in bytes.
    static let maximumBytes = 16 << 20

    /// Number of the most recently returned line, counted from 1.
    private(set) var lineNumber = 0
    private let descriptor: FileDescriptor
    private let displayName: String
    private var bufferedBytes: [UInt8] = []
    /// Number of buffered bytes that are known to contain no newline.
    private var searchedByteCount = 0
    private var isAtEnd = false

    /// Opens a file, or reads standard input.
    ///
    /// - Parameter path: Path of the file, or `nil` for standard input.
    /// - Throws: ``Failure`` if the file cannot be opened.
    init(path: String?) throws {
        displayName = path.map { "'\($0)'" } ?? "standard input"
        guard let path else {
            descriptor = .standardInput
            return
        }
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw Failure("\(displayName) cannot be opened: \(error).", status: .usage)
        }
    }

    /// Returns the next line without its newline, or `nil` after the last line.
    ///
    /// - Throws: ``Failure`` if the line cannot be read or is too long.
    mutating func next() throws -> [UInt8]? {
        let newline = UInt8(ascii: "\n")
        while true {
            let newlineIndex = bufferedBytes[searchedByteCount...].firstIndex(of: newline)
            if newlineIndex != nil || isAtEnd {
                let line = Array(bufferedBytes[..<(newlineIndex ?? bufferedBytes.endIndex)])
                bufferedBytes.removeFirst(newlineIndex == nil ? line.count : line.count + 1)
                searchedByteCount = 0
                if newlineIndex == nil, line.isEmpty { return nil }
                lineNumber += 1
                return line
            }
            searchedByteCount = bufferedBytes.count
            guard bufferedBytes.count <= Self.maximumBytes else {
                throw Failure(
                    "line \(lineNumber + 1) of \(displayName) has more than \(Self.maximumBytes) bytes, "
                        + "the maximum for a command.", status: .usage)
            }
            try read()
        }
    }

    private mutating func read() throws {
        do {
            let chunk = try descriptor.readChunk()
            isAtEnd = chunk.isEmpty
            bufferedBytes += chunk
        } catch {
            throw Failure("\(displayName) cannot be read: \(error).", status: .usage)
        }
    }
}
