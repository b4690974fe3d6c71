import FoundationEssentials
import Glibc

/// Runs a body with a new empty folder, removed afterwards unless the body throws.
func withScratchFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("/tmp/reprise-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw ScratchFolderMissing(code: errno) }
    let path = String(cString: made)
    let result = try body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
}

/// No folder for the test could be made.
struct ScratchFolderMissing: Error {
    var code: CInt
}
