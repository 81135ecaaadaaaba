/* Passes libotf2's events to the LocationReader given as user data. */
#include "location_reader.h"

namespace hopscope {
namespace {

LocationReader &reader_of(void *user) {
    return *static_cast<LocationReader *>(user);
}

/* Handles an event of which the reader needs only the time. Fields: the event's own arguments, which are ignored. */
template <typename... Fields>
OTF2_CallbackCode on_activity(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                              Fields...) {
    auto timestamp = static_cast<int64_t>(time);
    reader_of(user).note_activity(timestamp);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_enter(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *attributes,
                           OTF2_RegionRef region) {
    reader_of(user).enter(static_cast<int64_t>(time), region, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_leave(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *attributes,
                           OTF2_RegionRef region) {
    reader_of(user).leave(static_cast<int64_t>(time), region, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_begin(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user,
                                      OTF2_AttributeList *) {
    reader_of(user).collective_begin(static_cast<int64_t>(time));
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_end(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                    OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                    uint64_t received) {
    reader_of(user).collective_end(static_cast<int64_t>(time), operation, comm, root, sent, received);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_request(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user,
                                        OTF2_AttributeList *attributes, uint64_t request) {
    reader_of(user).collective_request(static_cast<int64_t>(time), request, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t place, void *user,
                                         OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                         uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
    if (operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        return on_activity(location, time, place, user, attributes);
    reader_of(user).collective_complete(static_cast<int64_t>(time), comm, root, sent, received, request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_send(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                          uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes) {
    reader_of(user).send(static_cast<int64_t>(time), comm, receiver, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_send_begin(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request) {
    reader_of(user).send_begin(static_cast<int64_t>(time), comm, receiver, tag, bytes, request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_send_complete(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                   uint64_t request) {
    reader_of(user).send_complete(static_cast<int64_t>(time), request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_receive(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                             uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes) {
    reader_of(user).receive(static_cast<int64_t>(time), comm, sender, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_receive_post(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                  uint64_t request) {
    reader_of(user).receive_post(static_cast<int64_t>(time), request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_receive_complete(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                      uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                      uint64_t request) {
    reader_of(user).receive_complete(static_cast<int64_t>(time), comm, sender, tag, bytes, request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_cancelled(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                               uint64_t request) {
    reader_of(user).cancelled(static_cast<int64_t>(time), request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_one_sided_complete(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user,
                                        OTF2_AttributeList *, OTF2_RmaWinRef, uint64_t) {
    reader_of(user).transfer_complete(static_cast<int64_t>(time), kTransfers);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_file_complete(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                   OTF2_IoHandleRef, uint64_t, uint64_t) {
    reader_of(user).transfer_complete(static_cast<int64_t>(time), kFiles);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_one_sided_test(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                                    OTF2_RmaWinRef, uint64_t) {
    reader_of(user).transfer_tested(static_cast<int64_t>(time), kTransfers);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_file_test(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user, OTF2_AttributeList *,
                               OTF2_IoHandleRef, uint64_t) {
    reader_of(user).transfer_tested(static_cast<int64_t>(time), kFiles);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_measurement(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user,
                                 OTF2_AttributeList *attributes, OTF2_MeasurementMode mode) {
    reader_of(user).set_recording(static_cast<int64_t>(time), mode == OTF2_MEASUREMENT_ON, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_parameter(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void *user,
                               OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, uint64_t value) {
    reader_of(user).parameter(static_cast<int64_t>(time), parameter, value, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

} // namespace

OTF2_EvtReaderCallbacks *location_callbacks() {
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective_end);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, on_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, on_collective_complete);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_send_begin);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_send_complete);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_receive);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_receive_post);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_receive_complete);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_cancelled);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_one_sided_complete);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks, on_one_sided_complete);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, on_one_sided_complete);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(callbacks, on_file_complete);
    OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(callbacks, on_one_sided_test);
    OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(callbacks, on_file_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetCommDestroyCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_parameter);
    OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetThreadForkCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetThreadBeginCallback(callbacks, on_activity);
    OTF2_EvtReaderCallbacks_SetThreadEndCallback(callbacks, on_activity);
    return callbacks;
}

} // namespace hopscope
