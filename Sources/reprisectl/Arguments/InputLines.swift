import SystemPackage

/// The lines of a file or of standard input, each as soon as it is there.
struct InputLines {
    /// The most bytes that a line may have.
    static let maximumBytes = 16 << 20

    /// The number of the line that was given last, counted from 1.
    private(set) var number = 0
    private let descriptor: FileDescriptor
    private let name: String
    private var bytes: [UInt8] = []
    private var searched = 0
    private var isOver = false

    /// - Parameter path: The file's; nil: standard input.
    /// - Throws: ``Failure`` if it cannot be opened.
    init(path: String?) throws {
        name = path.map { "'\($0)'" } ?? "standard input"
        guard let path else {
            descriptor = .standardInput
            return
        }
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw Failure("\(name) cannot be opened: \(error).", status: .usage)
        }
    }

    /// The next line without its newline, nil behind the last.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or is too long.
    mutating func next() throws -> [UInt8]? {
        let newline = UInt8(ascii: "\n")
        while true {
            if let end = bytes[searched...].firstIndex(of: newline) {
                let line = Array(bytes[..<end])
                bytes.removeSubrange(...end)
                searched = 0
                number += 1
                return line
            }
            searched = bytes.count
            if isOver {
                defer { bytes = [] }
                searched = 0
                number += 1
                return bytes.isEmpty ? nil : bytes
            }
            guard bytes.count <= Self.maximumBytes else {
                throw Failure(
                    "line \(number + 1) of \(name) has more than \(Self.maximumBytes) bytes, "
                        + "the maximum for a command.", status: .usage)
            }
            try read()
        }
    }

    private mutating func read() throws {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { piece.deallocate() }
        do {
            let count = try descriptor.read(into: piece)
            isOver = count == 0
            bytes += piece[..<count]
        } catch {
            throw Failure("\(name) cannot be read: \(error).", status: .usage)
        }
    }
}
