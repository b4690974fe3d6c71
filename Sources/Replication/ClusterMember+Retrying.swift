import ExactText
import Synchronization

extension ClusterMember {
    /// Delay before a failed request is retried.
    private static let retryDelay = Duration.milliseconds(200)

    /// Returns whether this host owns an application in the given epoch and has a valid lease.
    ///
    /// The epoch alone is not sufficient, because epochs may repeat after a store has been restored from a backup. The
    /// owner's name is therefore compared as well.
    package nonisolated func owns(_ application: String, in epoch: UInt64) -> Bool {
        leaseDeadline.isValid
            && sharedClusterState.withLock { isOwner(of: application, in: epoch, accordingTo: $0) }
    }

    /// Returns whether this host owns an application in the given epoch, even if its lease is no longer valid.
    nonisolated func isOwner(
        of application: String, in epoch: UInt64, accordingTo clusterState: ClusterState
    ) -> Bool {
        clusterState.owners[application].map { $0.epoch == epoch && $0.host == host } ?? false
    }

    /// Sends a request to the store, and retries it after transient errors while this host's lease is valid.
    ///
    /// - Throws: The error from the last attempt, or `CancellationError`.
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
    /// - Parameter target: The host that takes over the application, or `nil` if any host may take it over.
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
                // Retry without a target. A full store has no space for the target, and a target that has just left
                // the cluster cannot own an application.
                target = nil
                do { try await clock.sleep(for: Self.retryDelay) } catch { return }
            }
        }
    }
}
