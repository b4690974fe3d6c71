import Foundation

/// A file that bytes are appended to, and nothing else: what the disk alone takes.
final class BareFile {
    private let descriptor: CInt

    /// Makes the file, or empties it.
    init(path: String) throws {
        descriptor = try check(
            "open \(path)", open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600))
    }

    deinit { close(descriptor) }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = try check("write", write(descriptor, rest.baseAddress, rest.count))
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    func synchronize() throws { try check("fdatasync", fdatasync(descriptor)) }

    /// Makes the names in the folder of a file durable.
    static func synchronizeFolder(of path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        let descriptor = try check("open \(folder)", open(folder, O_RDONLY | O_CLOEXEC))
        defer { close(descriptor) }
        try check("fsync \(folder)", fsync(descriptor))
    }

    /// Reads a file, and adds up its words, which is the least that a checksum does.
    static func readAndAdd(_ path: String) throws -> UInt64 {
        let descriptor = try check("open \(path)", open(path, O_RDONLY | O_CLOEXEC))
        defer { close(descriptor) }
        var status = stat()
        try check("fstat \(path)", fstat(descriptor, &status))
        let size = Int(status.st_size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        defer { buffer.deallocate() }
        guard try check("read \(path)", read(descriptor, buffer.baseAddress, size)) == size else {
            throw Failure("\(path) ended too early")
        }
        return buffer.prefix(size & ~7).withMemoryRebound(to: UInt64.self) { $0.reduce(0, &+) }
    }
}

/// The result of a system call, unless it tells of an error.
@discardableResult
func check<Result: SignedInteger>(_ call: String, _ result: Result) throws -> Result {
    if result < 0 { throw Failure("\(call): \(String(cString: strerror(errno)))") }
    return result
}

/// What kept something from being measured; a sentence without its end.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// How many bytes this process has handed to write(2) and its like so far.
func writtenBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}
