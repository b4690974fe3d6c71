import FoundationEssentials
import Glibc

/// Runs a body with a new empty folder, removed afterwards unless the body throws.
func withScratchFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    var template = Array("/tmp/reprise-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ScratchFolderMissing(code: errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let result = try await body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
}

/// No folder for the test could be made.
struct ScratchFolderMissing: Error {
    var code: CInt
}
