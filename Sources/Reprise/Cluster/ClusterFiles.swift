import ExactText
import Glibc
import LinuxIO
import Preservation
import Replication
import SavedState

/// Files in the state directory that save facts about a cluster for the next process.
///
/// With these facts, the next process continues to use the lease, remains the owner of its applications, and uses only
/// servers of the same cluster. Each file contains a value and the host or cluster that the value belongs to, because a
/// state directory that was copied from another host contains that host's values.
struct ClusterFiles: Sendable {
    private static let leaseFileName = "lease"
    private static let identityFileName = "cluster"
    private static let revisionFileName = "revision"

    private let directory: any DirectoryProtocol
    /// Queue for writing, so that a stalled disk does not block the event loop that renews the lease.
    private let queue = DiskQueue(label: "cluster")

    init(in directory: any DirectoryProtocol) { self.directory = directory }

    /// Returns the facts that earlier processes on a host have saved.
    ///
    /// Missing and unreadable facts are `nil`.
    func savedFacts(of host: String, in cluster: String) -> SavedClusterFacts {
        let hostScope = "\(host) \(cluster)"
        let identity = value(Self.identityFileName, of: cluster)
        return SavedClusterFacts(
            lease: value(Self.leaseFileName, of: hostScope).flatMap { Int64($0) },
            identity: identity,
            otherClusterName: content(of: Self.identityFileName).flatMap {
                ExactString($0.scope) == ExactString(cluster) ? nil : $0.scope
            },
            // A revision is meaningful only for data with the same identity. Other data may have the same cluster name.
            revision: identity.flatMap {
                value(Self.revisionFileName, of: "\(cluster) \($0)").flatMap { Int64($0) }
            },
            saveLease: { await store("\($0)", in: Self.leaseFileName, of: hostScope) },
            saveIdentity: { await store($0, in: Self.identityFileName, of: cluster) },
            saveRevision: {
                await store("\($0)", in: Self.revisionFileName, of: "\(cluster) \($1)")
            })
    }

    private func value(_ name: String, of scope: String) -> String? {
        content(of: name).flatMap {
            ExactString($0.scope) == ExactString(scope) ? $0.value : nil
        }
    }

    /// Returns the value in a file and the scope that the value belongs to, or `nil` if the file is missing or
    /// unreadable.
    private func content(of name: String) -> (value: String, scope: String)? {
        do throws(IOError) {
            guard let bytes = try directory.read(name, limit: 1024) else { return nil }
            let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        } catch {
            return nil
        }
    }

    /// Stores a value, and returns after it is durable.
    ///
    /// Failures are ignored. The next process then waits until the lease has expired, or reads the cluster's identity
    /// from etcd.
    private func store(_ value: String, in name: String, of scope: String) async {
        await queue.run { [directory] in
            do throws(IOError) {
                try directory.replace(
                    name, with: Array("\(value) \(scope)\n".utf8), temporaryName: "\(name).new")
            } catch {}
        }
    }
}

/// Machine that this process runs on.
enum LocalHost {
    /// Host name, as returned by gethostname(2).
    static var name: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
