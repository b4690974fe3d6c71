#if Etcd
    import ExactText
    import Preservation
    import Replication
    import RepriseControl
    import Varlink

    extension ClusterService {
        /// Maximum length in bytes of the reason for a pause.
        private static let maximumReasonBytes = 1024

        func clusterReply() async -> ClusterCall.Reply {
            async let serverStatuses = client.serverStatuses()
            let clusterState = member.clusterState
            let cluster = await describe()
            var descriptions: [ClusterApplicationDescription] = []
            for name in applications.sortedKeys {
                guard let ownership = await ownership(of: name) else { continue }
                var isRunning = member.owner(of: name)?.isRunning ?? false
                // The store does not record whether the owner has quit the application.
                if isRunning, ownership.host == host, let application = applications[name] {
                    isRunning = await application.status().phase == .running
                }
                descriptions.append(
                    .with {
                        $0.application = name
                        $0.running = isRunning
                        $0.ownership = ownership
                    })
            }
            let statuses = await serverStatuses
            record(statuses)
            let isStoreAvailable = statuses.contains { $0.problem == nil }
            let overdueLeases = isStoreAvailable ? await overdueLeases(of: clusterState.hosts) : [:]
            return .with {
                $0.cluster = cluster
                $0.leaseSeconds = settings.leaseDuration / .seconds(1)
                $0.clusterHosts = clusterState.hosts.sorted { $0.key < $1.key }.map { name, host in
                    .with {
                        $0.name = name.text
                        $0.draining = host.isDraining
                        $0.applications = clusterState.owners.values.count { $0.host == name.text }
                        $0.problem = overdueLeases[name]
                    }
                }
                $0.servers = statuses.map(ClusterServerDescription.init)
                $0.applications = descriptions
            }
        }

        func ownerHistory(
            of application: String?
        ) async throws(ControlError) -> [OwnerChangeDescription] {
            let names = application.map { [$0] } ?? applications.sortedKeys
            var changes: [(time: Int64, change: OwnerChangeDescription)] = []
            for name in names {
                guard applications[name] != nil else { throw .notInCluster(application: name) }
                let ownerHistory: OwnerHistory?
                do throws(StoreError) {
                    ownerHistory = try await member.ownerHistory(of: name)
                } catch {
                    throw .clusterUnavailable(reason: "\(error)")
                }
                guard let ownerHistory else {
                    throw .clusterUnavailable(
                        reason:
                            "the history of the owners of \(name) was not written by this version of Reprise"
                    )
                }
                changes += ownerHistory.entries.map {
                    ($0.time, OwnerChangeDescription($0, of: name))
                }
            }
            return changes.sorted { $0.time < $1.time }.map(\.change)
        }

        /// Returns a phrase for each other host that has not renewed its lease for more than half of the lease's
        /// duration.
        ///
        /// A running host renews its lease more often. After a restore from a backup, etcd may contain leases of hosts
        /// whose daemons are not running, until these leases expire.
        private func overdueLeases(
            of hosts: [ExactString: ClusterState.Host]
        ) async -> [ExactString: String] {
            var overdueLeases: [ExactString: String] = [:]
            for (name, description) in hosts where name.text != host {
                do throws(StoreError) {
                    guard let timeToLive = try await client.timeToLive(ofLease: description.lease),
                        let overdue = OverdueLease(
                            grantedDuration: timeToLive.grantedDuration,
                            remainingTime: timeToLive.remainingTime)
                    else { continue }
                    overdueLeases[name] = "\(overdue)"
                } catch {
                    return overdueLeases  // The servers' problems are listed separately.
                }
            }
            return overdueLeases
        }

        func pauseTakeovers(
            because reason: String?, by user: String
        ) async throws(ControlError) -> TakeoverPauseDescription? {
            let earlierPause = try await setTakeoverPause(
                TakeoverPause(
                    host: host, time: PreservationSettings.timeOfDay(),
                    reason: reason.map {
                        String($0.prefix(maximumBytes: Self.maximumReasonBytes))
                    }, user: user))
            return earlierPause.map(TakeoverPauseDescription.init)
        }

        func resumeTakeovers() async throws(ControlError) { _ = try await setTakeoverPause(nil) }

        private func setTakeoverPause(
            _ pause: TakeoverPause?
        ) async throws(ControlError) -> TakeoverPause? {
            do throws(StoreError) {
                return try await member.setTakeoverPause(pause)
            } catch {
                throw .clusterUnavailable(reason: "\(error)")
            }
        }

        func takeOver(
            _ application: String, force: Bool, by user: String
        ) async throws(ControlError) {
            guard applications[application] != nil else {
                throw .notInCluster(application: application)
            }
            let owner = member.clusterState.owners[application]?.host
            if owner == host { return }
            if let owner, !force {
                throw .notTakenOver(
                    application: application,
                    reason:
                        "the host \(owner) owns it: move it with `reprisectl -H \(owner) relocate \(application) "
                        + "\(host)`, or run `reprisectl cluster take --force \(application)` on this host, which "
                        + "loses the changes that \(owner) has not replicated"
                )
            }
            if let failure = await member.takeOver(
                application, by: user, within: Self.moveTimeout)
            {
                throw .notTakenOver(application: application, reason: failure)
            }
        }
    }

    extension ClusterServerDescription {
        fileprivate init(_ status: EtcdServerStatus) {
            self.init()
            endpoint = status.endpoint
            version = status.version
            leader = status.isLeader
            databaseBytes = status.databaseByteCount.map { Int(clamping: $0) }
            milliseconds = status.latency.map { $0 / .milliseconds(1) }
            problem = status.problem
        }
    }

    extension TakeoverPauseDescription {
        init(_ pause: TakeoverPause) {
            self.init()
            host = pause.host
            time = rfc3339String(pause.time)
            reason = pause.reason
            user = pause.user
        }
    }

    extension OwnerChangeDescription {
        fileprivate init(_ entry: OwnerHistory.Entry, of application: String) {
            self.init()
            self.application = application
            time = rfc3339String(entry.time)
            host = entry.host
            from = entry.previous
            epoch = Int(clamping: entry.epoch)
            reason =
                switch entry.reason {
                case .started: .started
                case .returned: .returned
                case .moved: .moved
                case .released: .released
                case .expired: .expired
                case .taken: .taken
                case .forced: .forced
                }
        }
    }
#endif
