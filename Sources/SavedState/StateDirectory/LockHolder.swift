import LinuxIO

/// Process that holds the lock on a state directory.
package struct LockHolder: Sendable, Equatable {
    /// Process identifier in the process's own PID namespace (see pid_namespaces(7)).
    package let pid: Int32
    /// Whether the process is in a different PID namespace, such as a container's.
    package let isInOtherPIDNamespace: Bool

    package init(pid: Int32, isInOtherPIDNamespace: Bool = false) {
        self.pid = pid
        self.isInOtherPIDNamespace = isInOtherPIDNamespace
    }

    /// Creates a description of the process that holds the lock.
    ///
    /// - Parameters:
    ///   - pid: Process identifier that the process wrote to the directory.
    ///   - inode: Inode number of the locked directory.
    ///   - locks: Contents of `/proc/locks`, which lists the locks held in this PID namespace.
    init(pid: Int32, of inode: UInt64, in locks: String) {
        let isListed = locks.split(separator: "\n").contains { line in
            // The fields are: number, kind, mode, type, process, device and inode, start, end (see proc_locks(5)).
            let fields = line.split(separator: " ")
            return fields.count > 5 && Int32(fields[4]) == pid && fields[5].hasSuffix(":\(inode)")
        }
        self.init(pid: pid, isInOtherPIDNamespace: !isListed)
    }

    /// Returns the process that holds the lock on a directory, or `nil` if the process is unknown.
    static func holder(of directory: any DirectoryProtocol) throws(IOError) -> LockHolder? {
        guard let pid = try pid(in: directory) else { return nil }
        do throws(IOError) {
            guard let inode = try directory.status(of: ".")?.inode,
                let locks = try Directory.open("/proc")?.read("locks", limit: 1 << 24)
            else { return LockHolder(pid: pid) }
            return LockHolder(pid: pid, of: inode, in: String(decoding: locks, as: UTF8.self))
        } catch {
            return LockHolder(pid: pid)
        }
    }

    /// Returns the process identifier that the lock's holder wrote to a directory, or `nil` if there is no valid
    /// identifier.
    static func pid(in directory: any DirectoryProtocol) throws(IOError) -> Int32? {
        guard let bytes = try directory.read(StateDirectoryLayout.lockHolderFileName, limit: 32)
        else {
            return nil
        }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension LockHolder: CustomStringConvertible {
    /// Phrase that identifies the process.
    package var description: String {
        "process \(pid)\(isInOtherPIDNamespace ? " of another PID namespace, such as a container" : "")"
    }
}
