import LinuxIO

/// Process that holds the lock of a state directory.
package struct StateHolder: Sendable, Equatable {
    /// Identifier of the process in its own PID namespace, see pid_namespaces(7).
    package let pid: Int32
    /// Whether the process is in another PID namespace, such as a container's.
    package let isElsewhere: Bool

    package init(pid: Int32, isElsewhere: Bool = false) {
        self.pid = pid
        self.isElsewhere = isElsewhere
    }

    /// Determines the process that holds the lock.
    ///
    /// - Parameters:
    ///   - pid: Identifier that the process wrote.
    ///   - inode: Inode number of the locked directory.
    ///   - locks: Contents of `/proc/locks`, which lists the locks of this PID namespace.
    init(pid: Int32, of inode: UInt64, in locks: String) {
        let isListed = locks.split(separator: "\n").contains { line in
            line.split(separator: " ").contains { $0.hasSuffix(":\(inode)") }
        }
        self.init(pid: pid, isElsewhere: !isListed)
    }

    /// Returns the process that holds the lock of a directory, or `nil` if it is unknown.
    static func of(_ folder: any Folder) throws(IOError) -> StateHolder? {
        guard let pid = try pid(in: folder) else { return nil }
        do throws(IOError) {
            guard let inode = try folder.status(of: ".")?.inode,
                let locks = try Directory.open("/proc")?.read("locks", limit: 1 << 24)
            else { return StateHolder(pid: pid) }
            return StateHolder(pid: pid, of: inode, in: String(decoding: locks, as: UTF8.self))
        } catch {
            return StateHolder(pid: pid)
        }
    }

    /// Returns the process identifier that the holder of a directory wrote, or `nil` if there is none.
    static func pid(in folder: any Folder) throws(IOError) -> Int32? {
        guard let bytes = try folder.read(Layout.holder, limit: 32) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension StateHolder: CustomStringConvertible {
    /// Description of the process, as part of a sentence.
    package var description: String {
        "process \(pid)\(isElsewhere ? " of another PID namespace, such as a container" : "")"
    }
}
