import Foundation

/// A file that is replaced as a whole, by another that is renamed to it.
struct WholeFile {
    let path: String

    /// Replaces the file.
    ///
    /// - Parameter isDurable: whether to wait until file and name are on the disk.
    func replace(with data: Data, isDurable: Bool) throws {
        let temporary = path + ".new"
        let file = try check(open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        defer { close(file) }
        var written = 0
        try data.withUnsafeBytes { bytes in
            while written < bytes.count {
                written += try check(
                    write(file, bytes.baseAddress! + written, bytes.count - written))
            }
        }
        if isDurable { _ = try check(fsync(file)) }
        _ = try check(rename(temporary, path))
        guard isDurable else { return }
        let folder = try check(
            open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY))
        defer { close(folder) }
        _ = try check(fsync(folder))
    }

    /// What the file holds.
    func read() throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }
}

/// The result of a call, unless it tells of an error.
func check<Result: SignedInteger>(_ result: Result) throws -> Result {
    if result < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return result
}

/// How many bytes this process has handed to write(2) and its like so far.
func writtenBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}
