/* One pass over one location's events into a LocationEvents. */
#pragma once

#include <otf2/otf2.h>

#include <vector>

#include "comms.h"
#include "definitions.h"
#include "location_events.h"

namespace hopscope {

/* What libotf2 calls for each event. Give it to OTF2_Reader_RegisterEvtCallbacks as user data, together with
 * location_callbacks(); call look_ahead() after each piece. */
class LocationReader {
  public:
    LocationReader(const Definitions &definitions, const Comms &comms, LocationEvents &out);

    void enter(int64_t time, OTF2_RegionRef region, const OTF2_AttributeList *attributes);
    void leave(int64_t time, OTF2_RegionRef region, const OTF2_AttributeList *attributes);
    void collective_end(int64_t time, uint8_t operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                        uint64_t received);
    void collective_request(int64_t time, uint64_t request, const OTF2_AttributeList *attributes);
    void collective_complete(int64_t time, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
                             uint64_t request);
    void send(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes);
    void send_begin(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes, uint64_t request);
    void send_complete(int64_t time, uint64_t request);
    void receive(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes);
    void receive_post(int64_t time, uint64_t request);
    void receive_complete(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes,
                          uint64_t request);
    void cancelled(int64_t time, uint64_t request);
    /* Recording was stopped (on: false) or went on. */
    void on_off(int64_t time, bool on, const OTF2_AttributeList *attributes);
    void parameter(int64_t time, OTF2_ParameterRef parameter, uint64_t value, const OTF2_AttributeList *attributes);
    /* Any other event: it only shows that the location lived. `time` is set to the location's last if it is before. */
    void other(int64_t &time);
    /* Says in out.horizon what is final. */
    void look_ahead();

  private:
    enum class Opened { Call, Interval, Step, Nothing };
    struct Frame {
        OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
        RegionKind kind = RegionKind::User;
        Opened opened = Opened::Nothing;
        int64_t index = -1; /* of what was opened */
        int64_t enter = 0;
        bool has_inner = false;       /* another frame was opened in it */
        bool in_mpi = false;          /* counted in mpi_depth_ */
        int64_t blocking_send = -1;   /* ends when the frame does */
        int64_t overhead_step = -1;   /* overhead inside a collective is an interval and a step */
        int64_t enclosing_call = -1;  /* restored when a call's frame ends */
        std::vector<int64_t> started; /* persistent collectives that began in it */
    };
    /* The completion just before this event, which a `hop wait` that ends now was waiting for. */
    struct LastCompletion {
        enum { None, HopSend, HopReceive } what = None;
        int64_t index = 0;
        int64_t time = 0;
    };

    void seen(int64_t &time);
    const Region &region(OTF2_RegionRef ref) const;
    Frame *mpi_frame();
    int64_t mpi_enter(int64_t otherwise);
    void read_place(CallRecord &call, const OTF2_AttributeList *attributes) const;
    int64_t open_call(CallRecord call);
    int64_t add_step(int64_t time, RegionKind kind);
    void close_frame(int64_t time);
    void end_interval(int64_t index, int64_t time);
    void enter_mpi(int64_t time);
    void leave_mpi(int64_t time);
    int64_t take_computed();

    const Definitions &definitions_;
    const Comms &comms_;
    LocationEvents &out_;
    std::vector<Frame> stack_;
    int64_t current_call_ = -1;
    uint64_t receive_order_ = 0;
    LastCompletion last_completion_;
    struct Gap {
        uint32_t last; /* its number; of several in a row the last */
        int64_t end;
        uint64_t receives; /* posted before */
    };
    std::vector<Gap> gaps_;
    int64_t off_ = -1; /* the interval of the present gap */
    /* What lies between two outermost stretches of MPI (or of overhead, or of gaps in recording) is computing. */
    int32_t mpi_depth_ = 0;
    int64_t left_mpi_ = kNull64; /* when the last one ended */
    int64_t computed_ = 0;       /* since a call was entered */
};

/* The callbacks that turn libotf2's events into calls of a LocationReader. The caller deletes them. */
OTF2_EvtReaderCallbacks *location_callbacks();

} // namespace hopscope
