import Testing

@testable import Preservation

@Suite struct SyncScheduleTests {
    private func begins(_ schedule: inout SyncSchedule) -> Bool { schedule.beginSync() }

    @Test func `a sync starts only if it was requested`() {
        var schedule = SyncSchedule()
        schedule.start()
        #expect(!begins(&schedule))
        schedule.request()
        #expect(begins(&schedule))
        #expect(schedule.isSyncing)
        schedule.didSync()
        #expect(!schedule.isSyncing)
        #expect(!begins(&schedule))
    }

    @Test func `a sync that is requested during another sync starts after it`() {
        var schedule = SyncSchedule()
        schedule.start()
        schedule.request()
        #expect(begins(&schedule))
        schedule.request()
        #expect(!begins(&schedule))
        schedule.didSync()
        #expect(begins(&schedule))
    }

    @Test func `a sync that is requested before the service runs starts with the service`() {
        var schedule = SyncSchedule()
        schedule.request()
        #expect(!begins(&schedule))
        schedule.start()
        #expect(begins(&schedule))
    }

    @Test(arguments: [false, true])
    func `after the schedule stops, no sync starts`(isSyncing: Bool) {
        var schedule = SyncSchedule()
        schedule.start()
        if isSyncing {
            schedule.request()
            #expect(begins(&schedule))
        }
        schedule.request()
        schedule.stop()
        #expect(schedule.isSyncing == isSyncing)
        #expect(!begins(&schedule))
        if isSyncing { schedule.didSync() }
        #expect(!schedule.isSyncing)
        #expect(!begins(&schedule))
    }
}
