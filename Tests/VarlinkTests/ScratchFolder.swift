import Glibc

/// A folder of a test's own, removed with everything directly in it when the test lets it go.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/varlink-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(errno: errno) }
        path = template.withUnsafeBufferPointer {
            String(cString: $0.baseAddress.unsafelyUnwrapped)
        }
    }

    struct Failure: Error { let errno: CInt }

    /// The path of a file with this name in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The kind, permissions and inode of a file, nil if there is none.
    func status(_ name: String) -> stat? {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status : nil
    }

    deinit {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(file(name))
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
