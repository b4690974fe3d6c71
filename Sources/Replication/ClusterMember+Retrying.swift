import ExactText
import Synchronization

extension ClusterMember {
    private static let retryDelay = Duration.milliseconds(200)

    /// Returns whether this host owns an application in an epoch, and may rely on its lease.
    ///
    /// The host is also compared, because a store that was restored from a backup repeats epochs.
    package nonisolated func owns(_ application: String, in epoch: UInt64) -> Bool {
        leaseDeadline.isValid
            && view.withLock { isOwner(of: application, in: epoch, accordingTo: $0) }
    }

    /// Returns whether this host owns an application in an epoch, regardless of its lease.
    nonisolated func isOwner(
        of application: String, in epoch: UInt64, accordingTo roles: ClusterRoles
    ) -> Bool {
        roles.owners[application].map { $0.epoch == epoch && $0.host == host } ?? false
    }

    /// Repeats a request to the store while its failure may be temporary and this host's lease is valid.
    ///
    /// - Throws: The error of the last attempt, or `CancellationError`.
    package nonisolated func retryWhileLeaseIsValid<Reply>(
        _ request: () async throws -> Reply
    ) async throws -> Reply {
        while true {
            do {
                return try await request()
            } catch let error as StoreError where error.isTransient && leaseDeadline.isValid {
                try await clock.sleep(for: Self.retryDelay)
            }
        }
    }

    /// Releases an application that this host owns but no longer runs.
    ///
    /// The release is retried until it succeeds or the lease is no longer valid.
    ///
    /// - Parameter target: Host to which the application moves, or `nil` for any host.
    package nonisolated func releaseWhileLeaseIsValid(
        _ application: String, in epoch: UInt64, to target: String? = nil
    ) async {
        var target = target
        while leaseDeadline.isValid {
            do throws(StoreError) {
                return try await release(application, in: epoch, to: target)
            } catch  where error.kind == .denied {
                return await forfeit()
            } catch {
                // A full store cannot store the target of the move, and a target that has just left the cluster cannot
                // own an application.
                target = nil
                do { try await clock.sleep(for: Self.retryDelay) } catch { return }
            }
        }
    }
}
