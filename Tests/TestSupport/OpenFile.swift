import Glibc
import SystemPackage

/// The file that a descriptor refers to.
///
/// Another thread can reuse the number of a closed descriptor at once. Tests therefore compare
/// files instead of checking whether a number is in use.
package struct OpenFile {
    private let device: dev_t
    private let inode: ino_t

    /// Identifies the file that a descriptor refers to.
    ///
    /// - Throws: The system's error if the descriptor is closed.
    package init(_ descriptor: CInt) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
        device = status.st_dev
        inode = status.st_ino
    }

    /// Whether a descriptor still refers to this file.
    package func isOpen(at descriptor: CInt) -> Bool {
        guard let file = try? OpenFile(descriptor) else { return false }
        return file.device == device && file.inode == inode
    }
}
