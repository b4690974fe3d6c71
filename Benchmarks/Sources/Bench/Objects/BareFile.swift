import Foundation

/// A file to which bytes are appended, for measuring the disk alone.
final class BareFile {
    private let descriptor: CInt

    /// Creates the file, or truncates an existing file.
    init(path: String) throws {
        descriptor = try check(
            "open \(path)", open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600))
    }

    deinit { close(descriptor) }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var remaining = bytes
        while !remaining.isEmpty {
            let count = try check(
                "write", write(descriptor, remaining.baseAddress, remaining.count))
            remaining = UnsafeRawBufferPointer(rebasing: remaining[count...])
        }
    }

    func synchronize() throws { try check("fdatasync", fdatasync(descriptor)) }

    /// Makes the directory entry of a file durable.
    static func synchronizeDirectory(of path: String) throws {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = try check("open \(directory)", open(directory, O_RDONLY | O_CLOEXEC))
        defer { close(descriptor) }
        try check("fsync \(directory)", fsync(descriptor))
    }

    /// Reads a file and adds up its words, which is the minimum amount of work for a checksum.
    static func readAndAdd(_ path: String) throws -> UInt64 {
        let descriptor = try check("open \(path)", open(path, O_RDONLY | O_CLOEXEC))
        defer { close(descriptor) }
        var status = stat()
        try check("fstat \(path)", fstat(descriptor, &status))
        let size = Int(status.st_size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        defer { buffer.deallocate() }
        guard try check("read \(path)", read(descriptor, buffer.baseAddress, size)) == size else {
            throw Failure("\(path) is shorter than expected")
        }
        return buffer.prefix(size & ~7).withMemoryRebound(to: UInt64.self) { $0.reduce(0, &+) }
    }
}

/// Returns the result of a system call, or throws an error if the call failed.
@discardableResult
func check<Result: SignedInteger>(_ call: String, _ result: Result) throws -> Result {
    if result < 0 { throw Failure("\(call): \(String(cString: strerror(errno)))") }
    return result
}

/// An error that describes why a benchmark failed, in a sentence without a period.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Returns the number of bytes that this process has passed to write(2) and similar system calls so
/// far.
func writtenBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}
